import { answerOf, type Exchange } from "../exchange.ts";
import { fault, pass, type Recording, type Seen, skip, type Verdict } from "./check.ts";
import type { CallReceipt, PaidCall, PaidRecording } from "./paid-recording.ts";

/** Runs `work` if something was paid; `null` from it means the check was not run. */
export function onPaid(id: string, work: (paid: PaidRecording, ask: Exchange) => Verdict | null) {
  return ({ paid, whyUnpaid, ask }: Recording): Verdict => {
    if (!paid) return skip(whyUnpaid ?? "Paid checks were not requested.");
    return work(paid, ask) ?? skip(paid.why[id] ?? "This call was not made.");
  };
}

type Receipted = PaidCall & { receipt: Exclude<CallReceipt, { kind: "none" | "unreadable" }> };

/** Runs `work` if the first call returned a receipt; D40 reports the rest. */
export const onReceipt = (
  id: string,
  work: (first: Receipted, paid: PaidRecording) => Verdict | null,
) =>
  onPaid(id, (paid) => {
    const { first } = paid;
    const kind = first?.receipt.kind;
    if (!first || kind === "none" || kind === "unreadable" || !isSuccess(first.exchange)) {
      return skip(paid.why[id] ?? "The first call returned no receipt (D40).");
    }
    return work(first as Receipted, paid);
  });

type Settled = {
  call: PaidCall;
  credits: bigint;
  transaction: string;
  /** The settlement was on its way to the chain, where its transaction is named. */
  isPending: boolean;
};

/** Runs `work` if the receipt says settled; D41 reports the rest. */
export const onSettled = (id: string, work: (settled: Settled, paid: PaidRecording) => Verdict) =>
  onReceipt(id, (call, paid) => {
    if (call.receipt.kind !== "settled") return skip("The first call was not settled (D41).");
    const { creditsRedeemed, transaction, extra } = call.receipt.settlement;
    const isPending = extra.chainStatus === "pending";
    return work({ call, credits: BigInt(creditsRedeemed), transaction, isPending }, paid);
  });

/** Whether the balance decreased by exactly these credits. */
export function judgeBalance(
  { before, after }: PaidCall,
  credits: bigint,
  words?: string,
): Verdict {
  return before - after === credits
    ? pass(words ?? `${before} − ${credits} = ${after}.`)
    : fault(
        `The receipt says ${credits} credits, but the balance went from ${before} to ${after}.`,
        "Settle once per request and return the receipt unchanged. Your other calls also affect the balance: run the check again without them.",
      );
}

export const seenIn = (call: { exchange: Exchange } | undefined, how: string): Seen | null =>
  call ? { exchange: call.exchange, how } : null;

export const isSuccess = (exchange: Exchange): boolean => {
  const status = answerOf(exchange)?.status ?? 0;
  return status >= 200 && status < 300;
};

export const failureOf = ({ outcome }: Exchange): string =>
  outcome.kind === "answered" ? `${outcome.status}.` : outcome.message;
