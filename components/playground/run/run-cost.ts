import { planIdOf } from "@turnpike/payments/protocol";
import type { Run } from "@/lib/playground/run.ts";
import { formatCount, plural } from "@/lib/text/plural.ts";
import type { Preset } from "../request/preset.ts";
import type { RequestDraft } from "../request/request-draft.ts";

/** What an endpoint charges: its plan, the maximum credits of a call, and the credits left. */
export type KnownOffer = {
  plan: string;
  credits: bigint;
  left: bigint | null;
  /** Found by a run of this page. */
  isFresh: boolean;
};

/** Runs to look the offer up in; `openedAt` is when the page was opened, in ms. */
export type KnownRuns = { runs: readonly Run[]; openedAt: number };

/**
 * The offer this request received before, from the first of `runs` with the same request. The balance comes only
 * from a run of this page: that of an earlier visit is outdated.
 */
export function knownOffer(draft: RequestDraft, { runs, openedAt }: KnownRuns): KnownOffer | null {
  for (const run of runs) {
    if (!isSameRequest(draft, run)) continue;
    const offer = run.requirement?.accepts.find((one) => planIdOf(one) === run.planId);
    if (!offer?.amount || !run.planName) continue;
    const isFresh = Date.parse(run.startedAt) >= openedAt;
    return {
      plan: run.planName,
      credits: BigInt(offer.amount),
      left: isFresh && run.input.token.kind === draft.token.kind ? leftAfter(run) : null,
      isFresh,
    };
  }
  return null;
}

/** The offer of a preset, while the request matches it and selects no other plan or scheme. */
export function presetOffer(draft: RequestDraft, presets: readonly Preset[]): KnownOffer | null {
  const preset = presets.find(
    ({ url, method }) => url === draft.url.trim() && method === draft.method,
  );
  const offer = preset?.offer;
  if (!offer || draft.scheme !== "" || !["", offer.planId].includes(draft.planId)) return null;
  return {
    plan: offer.plan,
    credits: BigInt(offer.credits),
    left: BigInt(offer.left),
    isFresh: false,
  };
}

/** The selected plan and scheme decide which offer a run takes. */
const isSameRequest = (draft: RequestDraft, { input, planId }: Run): boolean =>
  planId !== null &&
  input.url === draft.url.trim() &&
  input.method === draft.method &&
  (input.planId ?? "") === draft.planId &&
  (input.scheme ?? "") === draft.scheme;

/** Null while credits of the run may still be charged. */
function leftAfter({ steps, money, credits }: Run): bigint | null {
  if (money === "delivered-unsettled" || money === "unknown") return null;
  const before = steps.find(({ id }) => id === "permission")?.values.left;
  const left = money === "settled" ? credits?.after : before;
  return left !== undefined && /^\d+$/.test(left) ? BigInt(left) : null;
}

/** The maximum cost of a run, as far as it is known before it starts. */
export function costOf({ token, maxCredits }: RequestDraft, known: KnownOffer | null): string {
  if (token.kind === "none") return "This run sends no token and uses no credits.";
  const isTest = token.kind === "test";
  const cap = /^\d{1,30}$/.test(maxCredits) ? BigInt(maxCredits) : null;
  if (known) {
    const maximum = cap !== null && cap < known.credits ? cap : known.credits;
    // A preset's balance is the person's own.
    const isKnown = known.left !== null && (known.isFresh || !isTest);
    const left = isKnown ? ` (${formatCount(known.left ?? 0n)} left)` : "";
    const payer = isTest ? "Your test customer pays" : "This run can use";
    return `${payer} up to ${plural(maximum, "credit")} from “${known.plan}”${left}.`;
  }
  if (cap !== null) return `This run can use up to ${plural(cap, "credit")}.`;
  return "The cost is set by the agent’s offer. You can set a limit under Options.";
}
