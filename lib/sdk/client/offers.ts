import {
  decodePaymentRequired,
  type PaymentOffer,
  X402PaymentRequired,
} from "../protocol/payment-required.ts";
import { planIdOf } from "../protocol/plans/plan-id-of.ts";
import { Uint256 } from "../protocol/primitives.ts";
import { readScheme } from "../protocol/schemes.ts";
import { decodeHeader, X402_HEADERS } from "../protocol/x402-headers.ts";
import type { Connection } from "./connection.ts";
import { readAmount } from "./read-amount.ts";
import { readPlan, skipUnknown } from "./resolve-scheme.ts";

/** An offer that can be paid, and the credits it asks for. */
export type PayableOffer = {
  planId: string;
  agentId: string | undefined;
  scheme: string;
  credits: bigint;
  /** As the seller wrote it. */
  offer: PaymentOffer;
};

/** Which offers may be paid. */
export type OfferLimits = {
  /** The maximum credits one request may cost; more expensive offers are declined. */
  maxCredits?: bigint | number;
  /** Pays only with this plan. */
  planId?: string;
  /** Pays only with this scheme. */
  scheme?: string;
};

/** Why no offer is paid. `isOfPlans`: the caller's limits leave none of the plans, so it is not paid in another way either. */
export type Declined = { declined: string; isOfPlans?: boolean };

/** A 402 as it was read. */
export type Challenge = {
  requirement: X402PaymentRequired | null;
  challenge: Response;
  body: Record<string, unknown> | null;
};

/** The whole requirement from a gate's body, or the one in the header, which may be shortened. */
export function readRequirement(
  challenge: Response,
  body: Challenge["body"],
): Challenge & { isGate: boolean } {
  const { data, success: isGate } = X402PaymentRequired.safeParse(body?.paymentRequired);
  const header = challenge.headers.get(X402_HEADERS.PAYMENT_REQUIRED) ?? "";
  return { requirement: data ?? decodePaymentRequired(header), challenge, body, isGate };
}

/** The offers of a 402 that fit plan, scheme and cap, in its order, or why there are none. */
export async function payableOffers(
  { requirement, challenge, body }: Challenge,
  connection: Connection,
  { planId, scheme, maxCredits }: OfferLimits,
): Promise<PayableOffer[] | Declined> {
  if (!requirement) return { declined: whyUnreadable(challenge, body) };
  const { schemeAliases } = connection;
  const asScheme = (text: string) => readScheme(text, schemeAliases) ?? text;
  const fitting = requirement.accepts.filter(
    (offer) =>
      planIdOf(offer) !== undefined &&
      readScheme(offer.scheme, schemeAliases) !== null &&
      (planId === undefined || planIdOf(offer) === planId) &&
      (scheme === undefined || asScheme(offer.scheme) === asScheme(scheme)),
  );
  if (fitting.length === 0) {
    return { declined: "None of the offers is of a plan and scheme you allow." };
  }
  const cap = maxCredits === undefined ? null : readAmount("maxCredits", maxCredits);
  const unknown: unknown[] = [];
  const priced = await Promise.all(
    fitting.map((offer) => priceOffer(connection, offer).catch(skipUnknown(unknown))),
  );
  const payable = priced.filter((offer) => offer !== null);
  if (payable.length === 0 && unknown.length > 0) throw unknown[0];
  const within = payable.filter(({ credits }) => cap === null || credits <= cap);
  if (within.length > 0) return within;
  const declined =
    cap === null || payable.length === 0
      ? "None of the offers has an amount that can be read."
      : `Every offer costs more than ${cap} credits.`;
  return { declined, isOfPlans: true };
}

/** An offer need not say an amount (§2.4): then it is the least that the plan charges. */
async function priceOffer(
  connection: Connection,
  offer: PaymentOffer,
): Promise<PayableOffer | null> {
  const planId = planIdOf(offer) as string;
  const amount = offer.amount ?? (await readPlan(connection, planId)).registry.credits.minAmount;
  const credits = Uint256.safeParse(amount);
  if (!credits.success) return null;
  const { scheme, extra } = offer;
  return { planId, agentId: extra?.agentId, scheme, credits: credits.data, offer };
}

/** Why no requirement is read from a 402, whose body was read before: it may have no end. */
export function whyUnreadable({ headers }: Response, body: Challenge["body"]): string {
  const header = decodeHeader(headers.get(X402_HEADERS.PAYMENT_REQUIRED) ?? "");
  const required = header ?? body?.paymentRequired ?? body ?? {};
  const { x402Version, accepts } = required as { x402Version?: unknown; accepts?: unknown };
  if (x402Version === 1) {
    return "The agent asks for payment by x402 version 1. This client pays by version 2 only.";
  }
  return Array.isArray(accepts) && accepts.length === 0
    ? "The 402 carries no offer: its `accepts` is empty."
    : "The 402 carries no requirement this client can read.";
}
