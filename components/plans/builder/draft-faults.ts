import type { PlanDraft } from "./plan-draft.ts";

export const STEPS = ["kind", "price", "credits", "review"] as const;
export type Step = (typeof STEPS)[number];

type ReceiverPath = `receivers.${number}.${"address" | "amount"}`;

/** A field of the draft, as the form names it. */
export type DraftPath = keyof PlanDraft | ReceiverPath;

/** What is wrong with a field, and how to fix it. */
export type DraftFault = { path: DraftPath; message: string };

const STEP_OF: Partial<Record<string, Step>> = {
  kind: "kind",
  trialCredits: "credits",
  rail: "price",
  cardCurrency: "price",
  stablecoin: "price",
  tokenAddress: "price",
  tokenDecimals: "price",
  receivers: "price",
  granted: "credits",
  perCall: "credits",
  least: "credits",
  most: "credits",
  durationSecs: "credits",
  redemptionType: "credits",
  redeemers: "credits",
  proofRequired: "credits",
  holderRequired: "credits",
  nftAddress: "credits",
};

export const stepOf = (path: string): Step => STEP_OF[path.split(".")[0] ?? ""] ?? "review";

/** What the steps so far lack; the faults of later steps are not shown before their fields are. */
export function missingText(faults: DraftFault[], step: Step): string {
  const reached = STEPS.slice(0, STEPS.indexOf(step) + 1);
  const fault = faults.find(({ path }) => reached.includes(stepOf(path)));
  return fault ? `Incomplete. ${fault.message}` : "Later steps have placeholder values.";
}
