import {
  getCryptoPriceConfig,
  getFixedCreditsConfig,
  isDollarPrice,
} from "@turnpike/payments/protocol";
import { requireRoom } from "../accounts/room.ts";
import { auditNote, invalid, requireCaller } from "../context.ts";
import { moneyOf } from "../orders/money.ts";
import { byNonce } from "../plans/by-nonce.ts";
import { planAnswer } from "../plans/plans.ts";
import type { PlanRecord } from "../records.ts";
import type { Verb } from "../verb.ts";
import { takingExactOf } from "./refusals.ts";

/** Nonces of these plans begin here, far from those that builders count up. */
const FIRST_NONCE = 1n << 200n;

/**
 * The caller's plan behind a route with a `price`: unlisted, one credit for one request, made when it is first asked for. A
 * payment by `exact` orders it, so that ledger, timeline and receipts are those of every plan.
 */
export const getPricedPlan: Verb<"getPricedPlan"> = async (context, { price }) => {
  const { ports } = context;
  const { account } = requireCaller(context);
  const amount = isDollarPrice(price) ? amountOf(price) : 0n;
  if (amount === 0n) throw invalid("price", 'Expected a price above zero, as "$0.01".');
  const { asset, floor } = takingExactOf(context);
  if (amount < floor) {
    const least = "the service pays the gas of each payment";
    throw invalid(
      "price",
      `A request must cost at least $${moneyOf("USD", floor).value}, because ${least}.`,
    );
  }
  const nonce = FIRST_NONCE + amount;
  return byNonce(nonce, async () => {
    const known = await ports.plans.findByNonce(account, nonce);
    if (known) return planAnswer(ports, known);
    await requireRoom(context, "plans");
    const now = await ports.clock.now();
    const plan: PlanRecord = {
      planId: ports.crypto.randomUint(),
      owner: account,
      state: "unlisted",
      version: 1,
      accessLimit: "credits",
      isTrial: false,
      metadata: { name: `${price.replace("$", "")} USDC per request`, isTrialPlan: false },
      nonce,
      price: { ...getCryptoPriceConfig(amount, account, asset), currency: "USDC" },
      credits: getFixedCreditsConfig(1n, 1n),
      redeemers: [],
      createdAt: now,
      updatedAt: now,
      archivedAt: null,
    };
    await ports.plans.insert(plan, auditNote(context, "plan.register", plan.planId));
    return planAnswer(ports, plan);
  });
};

/** `$0.01` in millionths. */
function amountOf(price: string): bigint {
  const [units = "0", fraction = ""] = price.slice(1).split(".");
  return BigInt(units) * 1_000_000n + BigInt(fraction.padEnd(6, "0"));
}
