import type { RequestRecord, Role } from "@turnpike/payments/protocol";

/** What happened, what it means for money: the head of a trace. */
export type MoneyStory = { title: string; text: string };

const CHAIN_TEXT: Record<RequestRecord["chainStatus"], string> = {
  none: "The ledger holds it; this plan does not settle on chain.",
  pending: "The ledger holds it. The burn waits for the next bundle.",
  submitted: "The ledger holds it. The burn was sent to the chain.",
  included: "The ledger holds it. The burn is in a block, not final yet.",
  final: "The burn is final on chain.",
  failed: "The ledger holds it, but the burn failed on chain. The service reconciles the two.",
};

const REFUSALS: Record<string, string> = {
  token_missing: "It came without an access token.",
  invalid_token: "The access token cannot be read.",
  expired_token: "The access token has ended.",
  insufficient_balance: "The plan had fewer credits left than the call needs.",
  invalid_plan: "The access token is for another plan.",
  invalid_agent: "The access token is for another agent.",
};

const NOT_CHARGED: Record<string, string> = {
  exception: "The agent failed before payment. No settlement was made.",
  work_timed_out: "The agent took too long. No settlement was made.",
  client_gone: "The caller left before the answer. No settlement was made.",
  nothing_delivered: "The answer broke off before anything was delivered. No settlement was made.",
};

const WRITTEN_OFF = /^written off(?:: )?/;

/** Whether a request was let in and its answer is still awaited. */
export const isUnderWay = (record: RequestRecord): boolean =>
  record.moneyStatus === "unknown" &&
  record.verifiedAt !== undefined &&
  record.releasedAt === undefined &&
  record.httpStatus === undefined;

/** Whether the chain still moves for it. */
export const isMoving = (record: RequestRecord): boolean =>
  isUnderWay(record) || ["pending", "submitted", "included"].includes(record.chainStatus);

export function moneyStory(record: RequestRecord, role: Role): MoneyStory {
  const { moneyStatus, credits, reason = "", chainStatus, httpStatus } = record;
  switch (moneyStatus) {
    case "settled": {
      const taken = `${credits} ${credits === "1" ? "credit" : "credits"}`;
      return { title: `The agent answered. ${taken} taken.`, text: CHAIN_TEXT[chainStatus] };
    }
    case "delivered-unsettled":
      return {
        title: "The agent answered. Payment was not taken.",
        text:
          role === "subscriber"
            ? "You have the answer, but payment was not confirmed. Credits may still be taken later."
            : (REFUSALS[reason] ?? "The service did not confirm the settlement."),
      };
    case "unknown":
      if (isUnderWay(record)) {
        return {
          title: "The request is under way.",
          text: "Its credits are on hold; nothing is taken yet.",
        };
      }
      return {
        title: "We could not learn the outcome.",
        text:
          role === "subscriber"
            ? "Do not pay again yet. The credits on hold went back; the agent may still settle."
            : "The hold ended without a settlement. Settle it or write it off in Reconcile.",
      };
    case "refused":
      return {
        title: "The payment was refused.",
        text: `${REFUSALS[reason] ?? "The token was not accepted."} No credits were used.`,
      };
    case "challenged":
      return { title: "The agent asked for payment.", text: "No credits were used." };
    case "not-charged":
      if (WRITTEN_OFF.test(reason)) {
        const note = reason.replace(WRITTEN_OFF, "");
        return {
          title: "Written off.",
          text: note ? `${note} No credits were taken.` : "No credits were taken.",
        };
      }
      return {
        title: httpStatus ? `The agent answered ${httpStatus}.` : "The call was not charged.",
        text: NOT_CHARGED[reason] ?? "The agent failed before payment. No settlement was made.",
      };
    case "free":
      return { title: "No payment was asked.", text: "This call is free." };
  }
}
