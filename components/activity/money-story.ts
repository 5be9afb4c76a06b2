import type { RequestRecord, Role } from "@turnpike/payments/protocol";
import { plural } from "@/lib/text/plural.ts";

/** What happened to a request and to its payment: the head of a trace. */
export type MoneyStory = { title: string; text: string };

const CHAIN_TEXT: Record<RequestRecord["chainStatus"], string> = {
  none: "Recorded in the ledger. This plan does not settle on chain.",
  pending: "Recorded in the ledger. The burn is waiting for the next bundle.",
  submitted: "Recorded in the ledger. The burn was sent to the chain.",
  included: "Recorded in the ledger. The burn is in a block that is not final yet.",
  final: "The burn is final on chain.",
  failed: "Recorded in the ledger, but the burn failed on chain. The service reconciles the two.",
};

const DECLINES: Record<string, string> = {
  token_missing: "The request had no access token.",
  invalid_token: "The access token is invalid.",
  expired_token: "The access token has expired or was revoked.",
  insufficient_balance: "The plan had fewer credits than this request needs.",
  invalid_plan: "The access token is for another plan.",
  invalid_agent: "The access token is for another agent.",
};

const NOT_CHARGED: Record<string, string> = {
  exception: "The agent failed before payment.",
  work_timed_out: "The agent timed out before payment.",
  client_gone: "The caller disconnected before the response.",
  nothing_delivered: "The response was cut off before anything was delivered.",
};

const WRITTEN_OFF = /^written off(?:: )?/;

/** Whether the gate accepted a request that has no outcome yet. */
export const isUnderWay = (record: RequestRecord): boolean =>
  record.moneyStatus === "unknown" &&
  record.verifiedAt !== undefined &&
  record.releasedAt === undefined &&
  record.httpStatus === undefined;

/** Whether its outcome or its place on chain can still change. */
export const isMoving = (record: RequestRecord): boolean =>
  isUnderWay(record) || ["pending", "submitted", "included"].includes(record.chainStatus);

export function moneyStory(record: RequestRecord, role: Role): MoneyStory {
  const { moneyStatus, credits, reason = "", chainStatus, httpStatus } = record;
  switch (moneyStatus) {
    case "settled": {
      const charged = plural(BigInt(credits), "credit");
      return { title: `The agent responded. ${charged} charged.`, text: CHAIN_TEXT[chainStatus] };
    }
    case "delivered-unsettled":
      return {
        title: "The agent responded. Payment is not confirmed.",
        text:
          role === "subscriber"
            ? "You have the response. Credits may still be charged later."
            : (DECLINES[reason] ?? "The service did not confirm the settlement."),
      };
    case "unknown":
      if (isUnderWay(record)) {
        return {
          title: "The request is in progress.",
          text: "Its credits are reserved; nothing is charged yet.",
        };
      }
      return {
        title: "We could not learn the outcome.",
        text:
          role === "subscriber"
            ? "Don’t pay again yet. The reserved credits were released; the agent may still settle."
            : "The reservation ended without a settlement. Settle it or write it off in Reconcile.",
      };
    case "refused":
      return {
        title: "The payment was declined.",
        text: `${DECLINES[reason] ?? "The token was not accepted."} No credits were charged.`,
      };
    case "challenged":
      return { title: "The agent asked for payment.", text: "No credits were charged." };
    case "not-charged":
      if (WRITTEN_OFF.test(reason)) {
        const note = reason.replace(WRITTEN_OFF, "");
        return {
          title: "Written off.",
          text: note ? `${note} No credits were charged.` : "No credits were charged.",
        };
      }
      return {
        title: httpStatus ? `The agent returned ${httpStatus}.` : "The request was not charged.",
        text: `${NOT_CHARGED[reason] ?? "The agent failed before payment."} No settlement was made.`,
      };
    case "free":
      return { title: "No payment was required.", text: "This request is free." };
  }
}
