import { bannerOf } from "@/lib/playground/banner.ts";
import { type ActionId, describeOutcome } from "@/lib/playground/outcomes.ts";
import type { Run, StepId } from "@/lib/playground/run.ts";
import type { Preset } from "../request/preset.ts";
import type { RequestDraft } from "../request/request-draft.ts";

export const EMPTY_RUN = { steps: [], money: null } as unknown as Run;

export const presetDraft = (preset: Preset | undefined): Partial<RequestDraft> =>
  preset ? { method: preset.method, url: preset.url, body: preset.body ?? "{}" } : {};

export const totalOf = (run: Run): string =>
  run.steps.reduce((sum, { durationMs }) => sum + durationMs, 0).toLocaleString("en-US");

/** The step a person wants explained first: the last that did something. */
export const decidingStep = (run: Run): StepId =>
  run.steps.findLast(({ outcome }) => outcome !== null && outcome !== "not-asked")?.id ?? "ask";

/** A payment whose outcome is not known holds the next one back, so that nothing is paid twice. */
export function heldBackBy(run: Run | null, isRunning: boolean): string | undefined {
  if (!run || isRunning) return undefined;
  const isOpen = run.money === "unknown" || run.money === "delivered-unsettled";
  const isRecent = Date.now() - Date.parse(run.startedAt) < HOLD_BACK_MS;
  return isOpen && isRecent && run.agentRequestId
    ? "Running again waits until this payment is known, so nothing is paid twice."
    : undefined;
}

const HOLD_BACK_MS = 120_000;

/** What a step lets a person do; of the run as a whole without one. */
export function actionOf(run: Run, id: StepId | null): ActionId | undefined {
  if (id === null) return bannerOf(run).action;
  const step = run.steps.find((one) => one.id === id);
  return step?.outcome ? describeOutcome(step.outcome, step.values).action : undefined;
}
