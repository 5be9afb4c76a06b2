import type { OrderSummary } from "@turnpike/payments/protocol";
import type { TimelineStatus, TimelineStep } from "../ui/data/step-timeline.tsx";
import { shortenIdentifier } from "../ui/values/shorten-identifier.ts";
import { clockText } from "../ui/values/time-text.ts";
import type { OrderState } from "./order-state.ts";
import { addedText, grantedText } from "./plan-price.ts";

export type OrderFacts = Pick<
  OrderSummary,
  "status" | "createdAt" | "chargedAt" | "updatedAt" | "reference" | "disputed"
>;

type Words = {
  price: string;
  grant: string;
  isCard: boolean;
  isFree: boolean;
  /** The subscriber's own wallet signed, not a key the service keeps. */
  isOwnWallet: boolean;
};

/** The steps of an order. Only what the service has confirmed is shown as done. */
export function stepsOf(
  { status, createdAt, chargedAt, updatedAt, reference, disputed }: OrderFacts,
  state: OrderState,
  elapsed: string,
  words: Words,
): TimelineStep[] {
  const { price, grant, isCard, isFree, isOwnWallet } = words;
  const isPaid = status === "minted" || status === "refunded";
  const isBack = status === "refunded";
  const wasSent = status !== "reserved";
  const answer: TimelineStatus = isPaid
    ? "ok"
    : state === "failed"
      ? "error"
      : state === "unknown" || state === "needs-confirmation"
        ? "warn"
        : wasSent
          ? "running"
          : "idle";
  const at = (instant: string) => clockText(new Date(instant));
  const first: TimelineStep = {
    key: "signed",
    status: "ok",
    time: at(createdAt),
    title: isCard || isFree ? "Ordered" : "Signed",
    verdict: isFree
      ? "Nothing to pay."
      : isCard
        ? `Exactly ${price}, reserved before the card is charged.`
        : isOwnWallet
          ? `Exactly ${price}, under the permission your wallet signed.`
          : `Exactly ${price}, once, with the key Turnpike keeps for you.`,
  };
  const last: TimelineStep = {
    key: "confirmed",
    status: isPaid ? "ok" : state === "failed" ? "skipped" : "idle",
    title: "Confirmed",
    ...(isPaid && chargedAt && { time: at(chargedAt) }),
    verdict: isBack
      ? `${grantedText(grant)}.`
      : isPaid
        ? `${addedText(grant)}.`
        : state === "failed"
          ? "No credits were granted."
          : `You receive ${grant.replace(/^A/, "a")}.`,
  };
  if (isFree) return [first, last];
  const back: TimelineStep = {
    key: "refunded",
    status: "ok",
    time: at(updatedAt),
    title: disputed ? "Disputed" : "Refunded",
    verdict: disputed
      ? "The card’s bank has the money, and the unused credits were removed."
      : `${price} was returned, and the unused credits were removed.`,
  };
  return [
    first,
    {
      key: "sent",
      status: wasSent ? "ok" : state === "unknown" ? "warn" : "running",
      title: isCard ? "Sent to the bank" : "Sent",
      verdict: isCard ? "Your bank was asked to pay." : "Submitted to the chain.",
    },
    {
      key: "answer",
      status: answer,
      title: isCard ? "Bank response" : "In a block",
      ...(answer === "running" && { time: elapsed }),
      verdict: answerText(answer, isCard, reference),
    },
    last,
    ...(isBack ? [back] : []),
  ];
}

const ANSWERS: Partial<Record<TimelineStatus, [card: string, chain: string]>> = {
  ok: ["The bank approved the payment.", ""],
  error: ["The bank declined the payment.", "The payment was declined. Nothing was charged."],
  warn: ["No response yet.", "Not in a block yet."],
  running: [
    "Waiting for the bank. You can leave this page.",
    "Waiting for the chain. You can leave this page.",
  ],
};

function answerText(answer: TimelineStatus, isCard: boolean, reference = ""): string {
  if (answer === "ok" && !isCard) return `Transaction ${shortenIdentifier(reference)}`;
  return ANSWERS[answer]?.[isCard ? 0 : 1] ?? "";
}
