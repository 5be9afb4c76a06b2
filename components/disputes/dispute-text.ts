import type { DisputeStatus } from "@turnpike/payments/protocol";
import type { StateTone } from "../ui/values/state-pill.tsx";

export const DISPUTE_STATES: Record<DisputeStatus, { tone: StateTone; word: string }> = {
  needs_response: { tone: "warn", word: "Response needed" },
  under_review: { tone: "running", word: "Under review" },
  won: { tone: "good", word: "Won" },
  lost: { tone: "bad", word: "Lost" },
};

/** The bank's reason in words: `product_not_received` is "product not received". */
export const reasonText = (reason: string): string => reason.replaceAll("_", " ");
