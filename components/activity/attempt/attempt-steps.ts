import type { RequestRecord, Role } from "@turnpike/payments/protocol";
import { summarizeAttempt } from "@/lib/console/attempt-causes.ts";
import type { TimelineStep } from "../../ui/data/step-timeline.tsx";
import { shortenIdentifier } from "../../ui/values/shorten-identifier.ts";
import { chargeText, isTransfer } from "../charge-text.ts";
import { msText } from "../durations.ts";
import { isUnderWay } from "../request-state.ts";

/** What happened to a request, phase by phase, in the words of one side. */
export function attemptSteps(record: RequestRecord, role: Role): TimelineStep[] {
  const { moneyStatus, verifyMs, workMs, settleMs } = record;
  const ms = (value: number | undefined) => (value === undefined ? {} : { time: msText(value) });
  if (moneyStatus === "challenged") {
    const verdict = "The request had no access token. The gate answered 402 with its offer.";
    return [{ key: "challenge", title: "Challenge", status: "ok", isChallenge: true, verdict }];
  }
  const isFree = moneyStatus === "free";
  return [
    ...(isFree ? [] : [{ ...paymentStep(record, role), ...ms(verifyMs) }]),
    { ...workStep(record), ...ms(workMs) },
    ...(isFree ? [] : [{ ...settleStep(record, role), ...ms(settleMs) }]),
  ];
}

function paymentStep(record: RequestRecord, role: Role): TimelineStep {
  const { moneyStatus, tokenId, payer } = record;
  const sender = role === "subscriber" ? "You" : payer ? shortenIdentifier(payer) : "The caller";
  const token = isTransfer(record)
    ? "a signed payment"
    : tokenId
      ? `access token ${shortenIdentifier(tokenId)}`
      : "an access token";
  const base = { key: "payment", title: "Payment" };
  if (moneyStatus === "refused") {
    const { title } = summarizeAttempt(record, role);
    return { ...base, status: "error", verdict: `${sender} sent ${token}. Declined: ${title}.` };
  }
  if (!record.verifiedAt && !record.settledAt)
    return { ...base, status: "ok", verdict: `${sender} sent ${token}.` };
  return {
    ...base,
    status: "ok",
    verdict: `${sender} sent ${token}. ${chargeText(record)} reserved.`,
  };
}

function workStep(record: RequestRecord): TimelineStep {
  const { moneyStatus, httpStatus, seller } = record;
  const base = { key: "work", title: "Work" };
  const answer =
    httpStatus !== undefined
      ? `The agent returned ${httpStatus}.`
      : seller
        ? "The seller has no gate that reports its responses here."
        : "The gate has not reported the response.";
  if (moneyStatus === "refused")
    return { ...base, status: "skipped", verdict: "The agent did not run." };
  if (isUnderWay(record)) return { ...base, status: "running", verdict: "The agent is working." };
  if (moneyStatus === "not-charged") return { ...base, status: "error", verdict: answer };
  return { ...base, status: "ok", verdict: answer };
}

function settleStep(record: RequestRecord, role: Role): TimelineStep {
  const { moneyStatus } = record;
  const base = { key: "settlement", title: "Settlement" };
  if (moneyStatus === "settled") {
    const amount = chargeText(record);
    return {
      ...base,
      status: "ok",
      verdict: role === "builder" ? `You were paid ${amount}.` : `You were charged ${amount}.`,
    };
  }
  if (moneyStatus === "delivered-unsettled" || (moneyStatus === "unknown" && !isUnderWay(record)))
    return {
      ...base,
      status: "warn",
      verdict: `Not confirmed: ${summarizeAttempt(record, role).title}.`,
    };
  const verdict = moneyStatus === "unknown" ? "Follows the response." : "Nothing was charged.";
  return { ...base, status: moneyStatus === "unknown" ? "idle" : "skipped", verdict };
}
