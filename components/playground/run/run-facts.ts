import { canParseUrl, normalizePath } from "@turnpike/payments/protocol";
import { bannerOf } from "@/lib/playground/banner.ts";
import { type ActionId, describeOutcome } from "@/lib/playground/outcomes.ts";
import type { Run, StepId } from "@/lib/playground/run.ts";
import { formatCount } from "@/lib/text/plural.ts";
import { clockText } from "../../ui/values/time-text.ts";
import type { Preset } from "../request/preset.ts";
import type { RequestDraft } from "../request/request-draft.ts";

export const presetDraft = (preset: Preset | undefined): Partial<RequestDraft> =>
  preset ? { method: preset.method, url: preset.url, body: preset.body ?? "{}" } : {};

export const totalOf = (run: Run): string =>
  formatCount(run.steps.reduce((sum, { durationMs }) => sum + durationMs, 0));

/** A fault's run as it is kept: its token is not, so that the test customer it was of pays again. */
export const paidAgain = (run: Run): Run =>
  run.input.token.kind === "paste"
    ? { ...run, input: { ...run.input, token: { kind: "test" } } }
    : run;

/** The step to explain first: the last one that ran. */
export const decidingStep = (run: Run): StepId =>
  run.steps.findLast(({ outcome }) => outcome !== null && outcome !== "not-asked")?.id ?? "ask";

/** The step whose response is arriving; it is shown in place of the open one. */
export const arrivingStep = (run: Run | null): StepId | undefined =>
  run?.steps.find(({ status, exchange }) => status === "running" && exchange)?.id;

const BLOCKED_FOR_MS = 120_000;

/** Until when an unknown payment of a run blocks the next one, in milliseconds since 1970; 0 if it does not. */
export function blockedUntil(run: Run | null): number {
  const isOpen = run?.money === "unknown" || run?.money === "delivered-unsettled";
  // A run that was left while it paid has no id yet: that comes with the answer.
  if (!isOpen || !(run.agentRequestId || isPaying(run, true))) return 0;
  const { startedAt, durationMs } = run.steps.find(({ id }) => id === "pay")?.exchange ?? {
    startedAt: run.startedAt,
    durationMs: 0,
  };
  return Date.parse(startedAt) + durationMs + BLOCKED_FOR_MS;
}

/** What a payment is for: an endpoint, however its path is written, and whatever its query. */
function endpointOf(url: string): string {
  if (!canParseUrl(url)) return url;
  const { origin, pathname } = new URL(url);
  return [origin, ...(normalizePath(pathname) ?? [pathname])].join("/");
}

/** Until when unknown payments of these runs block another run of an endpoint; 0 if they do not. */
export function endpointBlockedUntil(url: string, runs: (Run | null)[]): number {
  const endpoint = endpointOf(url.trim());
  const same = runs.filter((run) => run && endpointOf(run.input.url) === endpoint);
  return Math.max(0, ...same.map(blockedUntil));
}

/** Why no run may start: an unknown payment blocks the next one, so that nothing is paid twice. */
export function blockedReason(
  until: number,
  isRunning: boolean,
  now = Date.now(),
): string | undefined {
  if (isRunning || now >= until) return undefined;
  const time = clockText(new Date(until));
  return `Your last payment to this endpoint is unconfirmed. To avoid paying twice, run again after ${time} UTC.`;
}

/** Whether a run may start: it would stop a run that is under way, which may have paid already. */
export const canStart = (until: number, isRunning: boolean, now = Date.now()): boolean =>
  !isRunning && blockedReason(until, isRunning, now) === undefined;

/** Stops unless it is the second click of a double click on Run, which Stop has replaced by then. */
export const onFirstClick =
  (stop: () => void) =>
  ({ detail }: { detail: number }): void => {
    if (detail < 2) stop();
  };

/** Whether the page must stay open, so that the end of a payment is seen. Test customers have no money. */
export function isPaying(run: Run | null, isRunning: boolean): boolean {
  if (!isRunning || run?.input.token.kind === "test") return false;
  const status = run?.steps.find(({ id }) => id === "pay")?.status ?? "idle";
  return status !== "idle" && status !== "skipped";
}

/** What a run in live is about to pay with. */
export function payingText(run: Run | null, cost: string): string {
  const signed = run?.steps.find(({ outcome }) => outcome === "signed");
  if (!signed) return `This is live mode: the run sends a token and uses real credits. ${cost}`;
  const payer = run?.input.token.kind === "wallet" ? "wallet" : "account";
  return `This is live mode: the run pays ${signed.values.price} from your ${payer}.`;
}

/** What a user can do about a step, or about the whole run. */
export function actionOf(run: Run, id?: StepId): ActionId | undefined {
  if (id === undefined) return bannerOf(run).action;
  const step = run.steps.find((one) => one.id === id);
  return step?.outcome ? describeOutcome(step.outcome, step.values).action : undefined;
}
