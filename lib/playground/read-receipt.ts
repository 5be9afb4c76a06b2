import {
  decodeAccessToken,
  decodeHeader,
  type PaymentOffer,
  type Plan,
  readJson,
  Settlement,
  X402_HEADERS,
} from "@turnpike/payments/protocol";
import { type Exchange, headerOf } from "./exchange.ts";
import { type Fact, fact } from "./run.ts";

export type Receipt =
  | { kind: "none" }
  | { kind: "unreadable" }
  | { kind: "refused"; settlement: Extract<Settlement, { success: false }> }
  | { kind: "settled"; settlement: Extract<Settlement, { success: true }> };

/** The receipt of a response: from its header, or from the last event of a stream. */
export function readReceipt({ answer }: Exchange): Receipt {
  const header = headerOf(answer, X402_HEADERS.PAYMENT_RESPONSE) ?? eventOf(answer?.body ?? "");
  if (header === null) return { kind: "none" };
  const parsed = Settlement.safeParse(decodeHeader(header) ?? readJson(header));
  if (!parsed.success) return { kind: "unreadable" };
  const settlement = parsed.data;
  return settlement.success ? { kind: "settled", settlement } : { kind: "refused", settlement };
}

function eventOf(body: string): string | null {
  const [, data] = /^event: ?payment-response\ndata: ?(.+)$/m.exec(body) ?? [];
  return data ?? null;
}

export type Expectation = {
  token: string;
  offer: PaymentOffer;
  plan: Plan | null;
  /** The balance before the call, where it is known. */
  before: bigint | null;
  after: bigint | null;
  /** The credits of the service's own record; read where the balance does not fit the receipt. */
  recorded?: bigint | null;
};

/** Compares the receipt with the token, the offer, the plan and the balance. */
export function compareReceipt(
  settlement: Extract<Settlement, { success: true }>,
  { token, offer, plan, before, after, recorded = null }: Expectation,
): Fact[] {
  const from = decodeAccessToken(token)?.payload.authorization.from;
  const credits = BigInt(settlement.creditsRedeemed);
  const least = BigInt(plan?.registry.credits.minAmount ?? 0);
  const most = BigInt(plan?.registry.credits.maxAmount ?? credits);
  const isTime = plan?.metadata.plan.accessLimit === "time";
  const isWithin = isTime ? credits === 0n : credits >= least && credits <= most;
  const isSameNetwork = offer.network === undefined || settlement.network === offer.network;
  const range = least === most ? `${least}` : `${least} to ${most}`;
  const limits = isTime
    ? "a time-based plan uses no credits"
    : `the plan charges ${range} per call`;
  return [
    reported("success", "true"),
    check(
      "payer",
      settlement.payer,
      sameText(settlement.payer, from),
      "matches the payer of the token",
    ),
    check("network", settlement.network, isSameNetwork, "matches the offer"),
    recorded !== null && recorded !== credits
      ? check("creditsRedeemed", String(credits), false, `${recorded}, as the service recorded`)
      : plan === null
        ? reported("creditsRedeemed", String(credits), "plan not available")
        : check("creditsRedeemed", String(credits), isWithin, limits),
    compareLeft(settlement.remainingBalance, { before, after, credits, isTime, recorded }),
    reported("transaction", settlement.transaction || "none yet"),
    reported("extra.chainStatus", settlement.extra.chainStatus),
  ];
}

type Balances = Pick<Expectation, "before" | "after"> & {
  credits: bigint;
  isTime: boolean;
  recorded: bigint | null;
};

/** Compares the remaining balance with the current one and, where nothing else changed it, the earlier one. */
function compareLeft(
  remaining: string,
  { before, after, credits, isTime, recorded }: Balances,
): Fact {
  const name = "remainingBalance";
  if (after === null) return reported(name, remaining);
  const isNow = BigInt(remaining) === after;
  const isAlone = before === null || after === before - credits;
  // The service recorded this call with these credits, so what else changed the balance is another call or an order.
  if (recorded === credits && (!isAlone || before === null)) {
    return reported(name, remaining, "other calls or orders changed the balance meanwhile");
  }
  if (isTime) return check(name, remaining, isNow, "unchanged");
  if (before === null) return check(name, remaining, isNow, "equals the current balance");
  const note = `equals ${before} − ${credits} and the current balance`;
  return check(name, remaining, isNow && isAlone, note);
}

const reported = (name: string, value: string, note = "reported by the service"): Fact =>
  fact(name, value, null, note);

const check = (name: string, value: string, holds: boolean, note: string): Fact =>
  fact(name, value, holds, holds ? note : `expected: ${note}`);

const sameText = (a: string, b: string | undefined) => a.toLowerCase() === b?.toLowerCase();
