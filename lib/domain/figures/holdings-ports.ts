import type { AccessLimit, OrderQuery, PageQuery, TokenQuery } from "@turnpike/payments/protocol";
import type { DelegationEffects } from "@/lib/console/delegation-effects.ts";
import type { DelegationAlertKind } from "@/lib/console/delegation-totals.ts";
import type { RailPrice } from "../rails/rail.ts";
import type { OrderRecord, Page, TokenRecord } from "../records.ts";

export type SubscriptionRow = {
  planId: string;
  planName: string;
  owner: string;
  /** The version it was ordered at. */
  price: RailPrice;
  accessLimit: AccessLimit;
  isTrial: boolean;
  isLive: boolean;
  available: bigint;
  held: bigint;
  expiresAt: Date | null;
  minAmount: bigint;
  maxAmount: bigint;
  orders: number;
  lastOrderAt: Date | null;
  granted: bigint;
  used: bigint;
  requests30d: number;
  used30d: bigint;
  activeTokens: number;
};

/** What went back of an order's price and credits: by refunds, and to a bank that disputed it. */
export type OrderBack = {
  refunded: bigint;
  creditsBack: bigint;
  disputed: bigint;
  creditsDisputed: bigint;
};

export type OrderRow = OrderRecord & OrderBack & { planName: string; granted: bigint };

export type TokenRow = TokenRecord & {
  planName: string;
  agentName: string | null;
  delegationName: string | null;
  /** When it last paid. */
  lastUsedAt: Date | null;
};

/** Who depends on a delegation. */
export type DelegationUse = { activeTokens: number; rootOf: string[] };

type DelegationDependents = Omit<DelegationEffects, "delegationId" | "tokens" | "renewals"> & {
  tokens: TokenRow[];
};

/** Sums over the delegations of an account; money in limits is in minor units, in orders in the price's unit. */
export type DelegationSums = {
  counts: {
    total: number;
    open: number;
    active: number;
    activeTokens: number;
    firstExpiresAt: Date | null;
  };
  limits: {
    provider: string;
    currency: string;
    remaining: bigint;
    reserved: bigint;
    reserving: number;
  }[];
  spent: { scheme: string; currency: string; orders: number; amount: bigint; previous: bigint }[];
  alerts: DelegationAlertRow[];
};

/** A delegation with a problem, and how many have it. */
export type DelegationAlertRow = {
  kind: DelegationAlertKind;
  delegationId: string;
  name: string | null;
  expiresAt: Date;
  usedPercent: number;
  count: number;
  tokensEnding: number;
  tokens: { tokenId: string; planName: string }[];
};

/** What an account has and what depends on it, read for its owner. */
export interface Holdings {
  listSubscriptions(
    account: string,
    query: PageQuery,
    planId: string | undefined,
  ): Promise<Page<SubscriptionRow>>;
  listOrders(account: string, query: OrderQuery): Promise<Page<OrderRow>>;
  listTokens(account: string, query: TokenQuery): Promise<Page<TokenRow>>;
  findToken(jti: string): Promise<TokenRow | null>;
  usageOf(delegationIds: string[]): Promise<Map<string, DelegationUse>>;
  dependentsOf(delegationId: string): Promise<DelegationDependents>;
  delegationSums(account: string, now: Date): Promise<DelegationSums>;
}
