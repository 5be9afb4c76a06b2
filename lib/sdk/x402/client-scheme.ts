import type { Payments } from "../client/payments.ts";
import { readAmount } from "../client/read-amount.ts";
import { APPROVAL_CACHE_MS, isOfApproval, TOKEN_CACHE_MS } from "../client/token-cache.ts";
import { createTtlCache } from "../client/ttl-cache.ts";
import type { X402TokenOptions } from "../client/x402.ts";
import { decodeAccessToken } from "../protocol/access-token.ts";
import type { AccessToken } from "../protocol/access-token-schema.ts";
import { PaymentsError } from "../protocol/errors.ts";
import { REFUSAL_EXTENSION } from "../protocol/exact/stock-readers.ts";
import { canonicalJson } from "../protocol/json.ts";
import { PaymentOffer } from "../protocol/payment-required.ts";
import { planIdOf } from "../protocol/plans/plan-id-of.ts";
import { Uint256 } from "../protocol/primitives.ts";
import type { StockClientScheme, StockPaymentResponse, StockRequirements } from "./stock-types.ts";

/** What a stock client may spend through the scheme, and how its tokens are made. */
export type X402ClientSchemeOptions = {
  /** The most credits one request may cost; a more expensive offer throws. */
  maxCredits: bigint | number;
  /** Pays only with this plan; an offer of another one throws. Without it, a server can offer another seller's plan, and spend its credits there. */
  planId?: string;
  /** Default `svc:erc4337`. */
  scheme?: "svc:erc4337" | "svc:card-delegation";
  /**
   * How its tokens are made. They order plans only within `maxSpend`, `orderLimit` or `delegationConfig`, or within the limits
   * of the instance; without any of these they only use credits the account has.
   */
  tokenOptions?: Omit<X402TokenOptions, "accepted" | "scheme">;
};

/** What another token meets as well, and what a payment, a person or time can fix for this one. */
const OF_THE_ACCOUNT: readonly unknown[] = [
  "no_credits",
  "balance_full",
  "too_many_orders",
  "declined",
  "insufficient_funds",
  "authentication_required",
  "paused",
  "gas_budget",
];
// High enough that no number of credits ever reaches a client's cap in dollars.
const DECIMALS = 18;

/**
 * The paying side of our schemes for stock x402 v2 clients (`@x402/fetch`, `@x402/core`): mints an
 * access token for a server's offer, and reuses it for the same offer, also after a refusal that is not the token's, such as
 * too few credits or a missing approval. A credit has no price
 * in dollars, so `maxCredits` takes the place of the client's own cap. It does not limit what plans cost: the tokens order
 * none unless `tokenOptions` or the instance limit their orders. Throws `invalid_input` for an offer
 * without a plan, `invalid_amount` above the cap, and whatever minting throws.
 *
 * @example
 * const client = new x402Client().register("eip155:*", createX402ClientScheme(payments, { maxCredits: 5n }));
 * const fetchAndPay = wrapFetchWithPayment(fetch, client);
 */
export function createX402ClientScheme(
  payments: Pick<Payments, "x402" | "connection">,
  { maxCredits, planId: only, scheme = "svc:erc4337", tokenOptions = {} }: X402ClientSchemeOptions,
): StockClientScheme {
  const cap = readAmount("maxCredits", maxCredits);
  const tokens = createTtlCache<Promise<AccessToken>>(TOKEN_CACHE_MS, 100);
  const reused = new Set<string>();
  const { maxSpend, orderLimit, delegationConfig } = tokenOptions;
  const mayOrder = () =>
    [maxSpend, orderLimit, delegationConfig, payments.connection.spending.ceiling(undefined)].some(
      (limit) => limit !== undefined,
    );

  async function mint(requirements: StockRequirements): Promise<AccessToken> {
    const offer = PaymentOffer.safeParse(requirements);
    const planId = offer.data && planIdOf(offer.data);
    if (!offer.data || planId === undefined) {
      throw new PaymentsError("invalid_input", "The offer names no plan to pay with.");
    }
    if (only !== undefined && planId !== only)
      throw new PaymentsError("invalid_input", `The offer is of plan ${planId}, not ${only}.`);
    const amount = Uint256.safeParse(requirements.amount);
    if (!amount.success || amount.data > cap) {
      throw new PaymentsError(
        "invalid_amount",
        `The offer costs ${requirements.amount} credits; the cap is ${cap}.`,
      );
    }
    // The server compares the offer member by member, and the signature covers all of it.
    const { accessToken } = await payments.x402.getX402AccessToken(
      planId,
      offer.data.extra?.agentId,
      { ...tokenOptions, ...(!mayOrder() && { orderLimit: 0n }), accepted: { ...requirements } },
    );
    const token = decodeAccessToken(accessToken);
    if (token) return token;
    throw new PaymentsError("invalid_answer", "The service minted a token that cannot be read.");
  }

  return {
    scheme,
    schemeHooks: {
      // A cached token may have expired; a new token that is refused is refused for another reason.
      async onPaymentResponse({ requirements, paymentRequired }) {
        const key = canonicalJson(requirements);
        const wasRemembered = reused.delete(key);
        // With a receipt, even of a failure, the work was done: paying again would pay twice.
        if (!paymentRequired) return undefined;
        const cause = causeOf(paymentRequired);
        const token = tokens.get(key);
        if (token && isOfApproval(cause)) tokens.set(key, token, APPROVAL_CACHE_MS);
        // Another token could not order either.
        if (isTokenGood(cause) || (cause === "order_limit" && !mayOrder())) return undefined;
        tokens.delete(key);
        return wasRemembered ? { recovered: true } : undefined;
      },
    },
    findDefaultAsset: (asset) => ({ asset, decimals: DECIMALS, symbol: "credits" }),
    async createPaymentPayload(x402Version, requirements) {
      if (x402Version !== 2) {
        throw new PaymentsError("invalid_input", `x402 version ${x402Version} is not spoken here.`);
      }
      const key = canonicalJson(requirements);
      const known = tokens.get(key);
      if (known) reused.add(key);
      const minting = known ?? mint(requirements);
      if (!known) {
        tokens.set(key, minting);
        minting.catch(() => tokens.delete(key));
      }
      const { payload } = await minting;
      return { x402Version, payload };
    },
  };
}

/** Why a gate refused the payment; a server of another kind names no cause. */
const causeOf = ({ extensions }: NonNullable<StockPaymentResponse["paymentRequired"]>): unknown =>
  (extensions?.[REFUSAL_EXTENSION] as { info?: { cause?: unknown } } | null | undefined)?.info
    ?.cause;

const isTokenGood = (cause: unknown): boolean =>
  isOfApproval(cause) ||
  OF_THE_ACCOUNT.includes(cause) ||
  (typeof cause === "string" && cause.startsWith("budget_"));
