import type { OrderStatus } from "@turnpike/payments/protocol";
import type { TimelineStatus, TimelineStep } from "../ui/data/step-timeline.tsx";
import { clockText } from "../ui/values/time-text.ts";
import type { OrderState } from "./order-state.ts";
import { grantedText, yoursText } from "./plan-price.ts";

export type OrderFacts = {
  status: OrderStatus;
  createdAt: string;
  updatedAt: string;
  /** A transaction's hash or a payment's id. */
  reference?: string | undefined;
};

type Words = {
  /** `1.00 USDC`. */
  price: string;
  /** `100 credits`. */
  grant: string;
  isCard: boolean;
  isFree: boolean;
  /** The person's own wallet signed, not a key the service keeps. */
  isOwnWallet: boolean;
};

/** The steps an order has really taken; what the service has not said is not shown as done. */
export function stepsOf(
  { status, createdAt, updatedAt, reference }: OrderFacts,
  state: OrderState,
  elapsed: string,
  words: Words,
): TimelineStep[] {
  const { price, grant, isCard, isFree, isOwnWallet } = words;
  const isPaid = status === "minted" || status === "refunded";
  const isBack = status === "refunded";
  const wasAsked = status !== "reserved";
  const answer: TimelineStatus = isPaid
    ? "ok"
    : state === "failed"
      ? "error"
      : state === "unknown" || state === "needs-confirmation"
        ? "warn"
        : wasAsked
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
        ? `Exactly ${price}, set aside before the card is asked.`
        : isOwnWallet
          ? `Under the permission your wallet signed: exactly ${price}.`
          : `Exactly ${price}, once, with the key this service keeps for you.`,
  };
  const last: TimelineStep = {
    key: "confirmed",
    status: isPaid ? "ok" : state === "failed" ? "skipped" : "idle",
    title: "Confirmed",
    ...(isPaid && !isBack && { time: at(updatedAt) }),
    verdict: isBack
      ? `${grantedText(grant)}.`
      : isPaid
        ? `${yoursText(grant)}.`
        : state === "failed"
          ? "No credits were granted."
          : `Then ${yoursText(grant)}.`,
  };
  if (isFree) return [first, last];
  const back: TimelineStep = {
    key: "refunded",
    status: "ok",
    time: at(updatedAt),
    title: "Refunded",
    verdict: `${price} went back, and what was left of the credits was taken back.`,
  };
  return [
    first,
    {
      key: "sent",
      status: wasAsked ? "ok" : state === "unknown" ? "warn" : "running",
      title: isCard ? "Card asked" : "Sent",
      verdict: isCard ? "The bank was asked for the payment." : "Handed to the chain.",
    },
    {
      key: "answer",
      status: answer,
      title: isCard ? "Answer of the bank" : "In a block",
      ...(answer === "running" && { time: elapsed }),
      verdict: answerWords(answer, isCard, reference),
    },
    last,
    ...(isBack ? [back] : []),
  ];
}

function answerWords(answer: TimelineStatus, isCard: boolean, reference?: string): string {
  switch (answer) {
    case "ok":
      return isCard ? "The bank paid." : `Transaction ${shorten(reference ?? "")}`;
    case "error":
      return isCard ? "The bank refused." : "The payment was refused before it took anything.";
    case "warn":
      return isCard ? "No answer yet." : "Not seen in a block yet.";
    case "running":
      return isCard
        ? "Waiting for the bank. You can leave this page."
        : "Waiting for the chain. You can leave this page.";
    default:
      return "";
  }
}

const shorten = (hash: string) =>
  hash.length > 14 ? `${hash.slice(0, 6)}…${hash.slice(-4)}` : hash;
