import { decodeAccessToken } from "../protocol/access-token.ts";
import type { OutputOf } from "../protocol/operations.ts";
import type { Plan, PlanBalance } from "../protocol/plans/plan.ts";
import { isFree } from "../protocol/plans/price-builders.ts";
import { readScheme } from "../protocol/schemes.ts";
import { call } from "./call.ts";
import type { Connection } from "./connection.ts";
import type { PayableOffer } from "./offers.ts";
import { createRequestSigner, type RequestSigner } from "./request-signer.ts";
import { readPlan, skipUnknown } from "./resolve-scheme.ts";
import { type Cents, notAllowed, type Purchase, purchaseOf } from "./spending/purchase.ts";
import type { GiveBack } from "./spending/reserve.ts";
import { createSharedDelegations, type Purpose } from "./spending/shared-delegations.ts";
import { mintToken, type X402TokenOptions } from "./x402.ts";

/** Which plans may be bought, besides those the account has ordered before. */
export type PurchaseLimits = {
  /** The maximum this call may spend on an order, in cents. With it, a plan that is new to the account may be bought. */
  maxSpend?: Cents;
  /** New plans that may be bought within the instance's `maxSpend`. */
  allowPlans?: readonly string[];
  /** Sellers whose new plans may be bought within the instance's `maxSpend`, by their address. */
  allowSellers?: readonly string[];
};

/** A token for calls of one kind. `purchase` is the order it may make, until that is known to be made or not. */
export type FetchToken = {
  /** Of the kind of calls that it was minted for. */
  key: string;
  /** Its plan, in words. */
  way: string;
  accessToken: string;
  /** Signs its requests; `null` for a bearer token. */
  signer: RequestSigner | null;
  tokenId: string;
  mayOrder: boolean;
  purchase: (Purchase & { giveBack: GiveBack }) | null;
  /** Calls that are under way with it. */
  users: number;
  /**
   * Whether a call with it may still order or be charged: its answer was `lost`, or its settlement is `owed`. Once it is, the token
   * is not revoked as long as that may be so.
   */
  open?: "lost" | "owed";
  /** What it ordered, once it is revoked. */
  ended?: Promise<{ order?: "made" | "unknown" }>;
  /** Whether its call waits for a person or was declined. The decision is for this token alone. */
  hasApproval: boolean;
};

type Minted = OutputOf<"getX402AccessToken">;
/** What a call needs a token for. */
export type Need = PurchaseLimits & {
  /** Names the kind of such calls: their offers and limits. */
  key: string;
  planId?: string;
  tokenOptions: X402TokenOptions;
  /** Whether the seller passes on who signed a request, so that the token can be bound to a key. */
  isSigned: boolean;
  /** Whether the seller is a stock x402 server, which compares the offer a token answers with its own. */
  isStock: boolean;
  /** Throws where the seller may not get a bearer token. */
  checkSeller: (offer: PayableOffer) => Promise<void>;
  /** Frees what other tokens may no longer spend. Only a purchase that the day's limits refuse waits for it. */
  closing?: Promise<unknown> | null;
};

/** Mints tokens under the delegations of a paying fetch, each bound to its own key where that helps. */
function createMinter(connection: Connection) {
  const mintUnder = createSharedDelegations(connection);
  const { spending } = connection;

  async function mint(
    offer: PayableOffer,
    purchase: Purchase | null,
    need: Need,
  ): Promise<FetchToken> {
    const signer = need.isSigned ? await createRequestSigner() : null;
    const { accessToken, tokenId } = await mintFor(offer, purchase, {
      ...need,
      tokenOptions: { ...need.tokenOptions, ...(signer && { cnf: signer.cnf }) },
    });
    // A service of an earlier release mints a bearer token.
    const isBound = decodeAccessToken(accessToken)?.payload.authorization.cnf !== undefined;
    if (signer && !isBound) await need.checkSeller(offer);
    return {
      key: need.key,
      way: wayOf(offer),
      accessToken,
      tokenId,
      signer: isBound ? signer : null,
      mayOrder: false,
      purchase: null,
      users: 0,
      hasApproval: false,
    };
  }

  function mintFor(offer: PayableOffer, purchase: Purchase | null, need: Need): Promise<Minted> {
    const { planId, agentId, scheme } = offer;
    const { maxSpend: _, ...options } = need.tokenOptions;
    const orderLimit = leastOf(options.orderLimit, purchase?.total ?? 0n);
    // A token that is bound to a key says how many credits a request may take.
    const accepted = {
      ...(need.isStock && offer.offer),
      ...(options.cnf && { amount: `${offer.credits}` }),
      ...options.accepted,
    };
    const mintWith = (delegationConfig: X402TokenOptions["delegationConfig"]) =>
      mintToken(connection, planId, agentId, {
        ...options,
        accepted,
        orderLimit,
        delegationConfig,
        scheme,
      });
    if (options.delegationConfig) return mintWith(options.delegationConfig);
    const isCard = readScheme(scheme, connection.schemeAliases) === "svc:card-delegation";
    const purpose: Purpose = {
      provider: isCard ? "card-processor" : "erc4337",
      purchase,
      limit: purchase ? (spending.perDay ?? spending.ceiling(need.maxSpend) ?? 0n) : 0n,
      isDaily: purchase !== null && spending.perDay !== undefined,
    };
    return mintUnder(purpose, mintWith);
  }

  return mint;
}

/** The way to pay by a plan. */
export const wayOf = ({ planId }: { planId: string }): string => `plan ${planId}`;

/** The tokens of a paying fetch: which plan pays, what may be bought for it, and what was not spent. */
export function createFetchTokens(connection: Connection) {
  const mint = createMinter(connection);
  const { spending, accountAddress: holderAddress } = connection;

  /** A token that may order the plan once, or null if calls can't order it; throws `spending_not_allowed` before anything is ordered. */
  async function buy(offer: PayableOffer, { isSubscriber }: PlanBalance, need: Need) {
    // Not the remembered plan: its price may have changed.
    const plan = await call(connection, "getPlan", { planId: offer.planId });
    const isOthersDraft = plan.state === "draft" && plan.owner !== holderAddress;
    if (plan.archivedAt || plan.metadata.plan.isTrialPlan || isOthersDraft) return null;
    const purchase = purchaseOf(plan);
    if (!isSubscriber && !isInvited(purchase, need)) {
      throw notAllowed(
        purchase,
        `The account has not ordered it before. To allow it, pass \`maxSpend: ${purchase.cents}n\`, in cents.`,
      );
    }
    const giveBack = await spending.reserve(purchase, need.maxSpend, need.closing);
    try {
      const minted = await mint(offer, purchase, need);
      return { ...minted, mayOrder: true, purchase: { ...purchase, giveBack } };
    } catch (error) {
      // Where the answer is lost, no one has the token.
      await giveBack(purchase.cents);
      throw error;
    }
  }

  return {
    /**
     * A token for the first offer whose plan has credits, else of a free plan that is new, else for the first that may be
     * bought. With `mustOrder` it uses credits only where no plan may be bought.
     */
    async mint(
      offers: readonly PayableOffer[],
      need: Need,
      mustOrder: boolean,
    ): Promise<FetchToken> {
      const wanting: [PayableOffer, PlanBalance, isFree?: true][] = [];
      const free: typeof wanting = [];
      const unknown: unknown[] = [];
      let first: PayableOffer | undefined;
      let covered: PayableOffer | undefined;
      for (const offer of offers) {
        const plan = await readPlan(connection, offer.planId).catch(skipUnknown(unknown));
        if (!plan) continue;
        first ??= offer;
        const balance = await call(connection, "getPlanBalance", {
          planId: offer.planId,
          holderAddress,
        });
        if (covers(balance, offer, plan)) {
          if (!mustOrder) return await mint(offer, null, need);
          covered ??= offer;
        }
        // A free plan is ordered once.
        if (!isFree(plan.registry.price)) wanting.push([offer, balance]);
        else if (!balance.isSubscriber) free.push([offer, balance, true]);
      }
      let refusal: unknown;
      for (const [offer, balance, isNew] of [...free, ...wanting]) {
        try {
          if (isNew) await call(connection, "orderPlan", { planId: offer.planId });
          const token = await (isNew ? mint(offer, null, need) : buy(offer, balance, need));
          if (token) return token;
        } catch (error) {
          refusal ??= error;
        }
      }
      if (covered) return mint(covered, null, need);
      if (refusal) throw refusal;
      if (!first) throw unknown[0];
      // Its refusal says why.
      return mint(first, null, need);
    },
  };
}

const isInvited = (purchase: Purchase, need: Need): boolean =>
  need.maxSpend !== undefined || isNamed(purchase, need);

/** Whether the caller names the plan, or its seller. */
export const isNamed = (
  { planId, seller }: Pick<Purchase, "planId" | "seller">,
  limits: PurchaseLimits & { planId?: string },
): boolean =>
  limits.planId === planId ||
  (limits.allowPlans ?? []).includes(planId) ||
  (limits.allowSellers ?? []).some((address) => address.toLowerCase() === seller.toLowerCase());

function covers(
  { planType, isSubscriber, balance, held }: PlanBalance,
  offer: PayableOffer,
  plan: Plan,
) {
  if (planType === "time") return isSubscriber;
  const { minAmount } = plan.registry.credits;
  const left = balance - held;
  return left >= offer.credits && left >= minAmount;
}

const leastOf = (given: X402TokenOptions["orderLimit"], most: bigint): bigint =>
  given === undefined || BigInt(given) > most ? most : BigInt(given);
