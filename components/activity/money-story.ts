import type { RequestRecord, Role } from "@turnpike/payments/protocol";
import { explainAttempt } from "@/lib/console/attempt-remedies.ts";
import { chargeText, isTransfer } from "./charge-text.ts";
import { isUnderWay } from "./request-state.ts";

/** What happened to a request and to its payment: the head of a trace. */
export type MoneyStory = { title: string; text: string };

const CHAIN_TEXT: Record<RequestRecord["chainStatus"], (what: string) => string> = {
  none: () => "Recorded in the ledger. This plan does not settle on chain.",
  pending: (what) => `Recorded in the ledger. The ${what} is waiting for the next bundle.`,
  submitted: (what) => `Recorded in the ledger. The ${what} was sent to the chain.`,
  included: (what) => `Recorded in the ledger. The ${what} is in a block that is not final yet.`,
  final: (what) => `The ${what} is final on chain.`,
  failed: (what) =>
    `Recorded in the ledger, but the ${what} failed on chain. The service reconciles the two.`,
};

const WRITTEN_OFF = /^written off(?:: )?/;

export function moneyStory(record: RequestRecord, role: Role): MoneyStory {
  const { moneyStatus, reason = "", chainStatus, httpStatus } = record;
  const { remedy: text } = explainAttempt(record, role);
  const isBuilder = role === "builder";
  switch (moneyStatus) {
    case "settled": {
      const responded = record.seller ? "The seller was paid." : "The agent responded.";
      const text = CHAIN_TEXT[chainStatus](isTransfer(record) ? "transfer" : "burn");
      return { title: `${responded} ${chargeText(record)} charged.`, text };
    }
    case "delivered-unsettled":
      return {
        title: isBuilder
          ? "You delivered this call. It is not paid yet."
          : "You have the response. You are not charged yet.",
        text,
      };
    case "unknown":
      if (isUnderWay(record)) {
        return {
          title: "The request is in progress.",
          text: `${chargeText(record)} reserved; nothing is charged yet.`,
        };
      }
      return { title: "The outcome is unknown.", text };
    case "refused":
      return { title: "The payment was declined.", text: `${text} No credits were charged.` };
    case "challenged":
      return { title: "The agent asked for payment.", text };
    case "not-charged":
      if (WRITTEN_OFF.test(reason)) {
        const note = reason.replace(WRITTEN_OFF, "");
        return { title: "Written off.", text: `${note || text} No credits were charged.` };
      }
      return {
        title: httpStatus ? `The agent returned ${httpStatus}.` : "The request was not charged.",
        text,
      };
    case "free":
      return { title: "No payment was required.", text: "This request is free." };
  }
}
