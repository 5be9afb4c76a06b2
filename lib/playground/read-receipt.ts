import {
  decodeAccessToken,
  decodeHeader,
  type PaymentOffer,
  type Plan,
  Settlement,
  X402_HEADERS,
} from "@turnpike/payments/protocol";
import { type Exchange, headerOf } from "./exchange.ts";
import type { Fact } from "./run.ts";

export type Receipt =
  | { kind: "none" }
  | { kind: "unreadable" }
  | { kind: "refused"; settlement: Extract<Settlement, { success: false }> }
  | { kind: "settled"; settlement: Extract<Settlement, { success: true }> };

/** The receipt of an answer, from its header or from the last event of an event stream. */
export function readReceipt({ answer }: Exchange): Receipt {
  const header = headerOf(answer, X402_HEADERS.PAYMENT_RESPONSE) ?? eventOf(answer?.body ?? "");
  if (header === null) return { kind: "none" };
  const parsed = Settlement.safeParse(decodeHeader(header) ?? parseJson(header));
  if (!parsed.success) return { kind: "unreadable" };
  const settlement = parsed.data;
  return settlement.success ? { kind: "settled", settlement } : { kind: "refused", settlement };
}

function eventOf(body: string): string | null {
  const [, data] = /^event: ?payment-response\ndata: ?(.+)$/m.exec(body) ?? [];
  return data ?? null;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export type Expectation = {
  token: string;
  offer: PaymentOffer;
  plan: Plan | null;
  before: bigint | null;
  after: bigint | null;
};

/** The receipt's fields beside what token, offer, plan and balance say they must be. */
export function compareReceipt(
  settlement: Extract<Settlement, { success: true }>,
  { token, offer, plan, before, after }: Expectation,
): Fact[] {
  const from = decodeAccessToken(token)?.payload.authorization.from;
  const credits = BigInt(settlement.creditsRedeemed);
  const least = BigInt(plan?.registry.credits.minAmount ?? 0);
  const most = BigInt(plan?.registry.credits.maxAmount ?? credits);
  const isTime = plan?.metadata.plan.accessLimit === "time";
  const isWithin = isTime ? credits === 0n : credits >= least && credits <= most;
  const left = before === null ? null : before - credits;
  return [
    { name: "success", value: "true", holds: null, note: "said by the service" },
    check("payer", settlement.payer, sameText(settlement.payer, from), "equals token from"),
    check(
      "network",
      settlement.network,
      offer.network === undefined || settlement.network === offer.network,
      "equals the offer",
    ),
    plan === null
      ? { name: "creditsRedeemed", value: String(credits), holds: null, note: "plan not read" }
      : check(
          "creditsRedeemed",
          String(credits),
          isWithin,
          isTime ? "a time plan uses none" : `within ${least} to ${most}`,
        ),
    compareLeft(settlement.remainingBalance, { before, after, left, isTime }),
    {
      name: "transaction",
      value: settlement.transaction || "none yet",
      holds: null,
      note: "said by the service",
    },
    {
      name: "extra.chainStatus",
      value: settlement.extra.chainStatus,
      holds: null,
      note: "said by the service",
    },
  ];
}

type Left = {
  before: bigint | null;
  after: bigint | null;
  left: bigint | null;
  isTime: boolean;
};

/** What is left, beside the balance now and, where nothing else changed it, the balance before. */
function compareLeft(said: string, { before, after, left, isTime }: Left): Fact {
  const name = "remainingBalance";
  if (after === null) return { name, value: said, holds: null, note: "said by the service" };
  const isNow = BigInt(said) === after;
  if (isTime) return check(name, said, isNow, "unchanged");
  if (left === null) return check(name, said, isNow, "the balance now");
  const credits = (before ?? 0n) - left;
  return check(name, said, isNow && after === left, `${before} − ${credits}, and the balance now`);
}

const check = (name: string, value: string, holds: boolean, note: string): Fact => ({
  name,
  value,
  holds,
  note: holds ? note : `expected: ${note}`,
});

const sameText = (a: string, b: string | undefined) => a.toLowerCase() === b?.toLowerCase();
