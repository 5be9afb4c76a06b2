import type { Dispute, DisputeStatus } from "@turnpike/payments/protocol";
import type { State } from "../ui/values/state-pill.tsx";

const STATES: Record<DisputeStatus, State> = {
  needs_response: { tone: "warn", word: "Response needed" },
  under_review: { tone: "running", word: "Under review" },
  won: { tone: "good", word: "Won" },
  lost: { tone: "bad", word: "Lost" },
};

type Deadline = Pick<Dispute, "status" | "respondBy">;

/** Whether evidence can still be sent: from the deadline on the bank decides without it. */
export const needsEvidence = ({ status, respondBy }: Deadline, now: string): boolean =>
  status === "needs_response" && (respondBy === undefined || respondBy > now);

export const disputeState = (dispute: Deadline, now: string) =>
  dispute.status === "needs_response" && !needsEvidence(dispute, now)
    ? ({ tone: "running", word: "Bank decides" } as const)
    : STATES[dispute.status];

/** The bank's reason in words: `product_not_received` is "product not received". */
export const reasonText = (reason: string): string => reason.replaceAll("_", " ");
