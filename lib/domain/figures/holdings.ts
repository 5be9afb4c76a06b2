import type { OrderSummary, Subscription } from "@turnpike/payments/protocol";
import { requireCaller } from "../context.ts";
import { moneyOf, readableSum } from "../orders/money.ts";
import { pageAnswer } from "../page-answer.ts";
import type { Rails } from "../rails/rails.ts";
import type { Verb } from "../verb.ts";
import type { OrderBack, OrderRow, SubscriptionRow } from "./holdings-ports.ts";

/** The plans the caller has, and what is left of them. */
export const listSubscriptions: Verb<"listSubscriptions"> = async (context, query) => {
  const { account } = requireCaller(context);
  const { holdings, rails } = context.ports;
  const page = await holdings.listSubscriptions(account, query, query.planId);
  return pageAnswer(
    { ...page, items: page.items.map((row) => subscriptionAnswer(rails, row)) },
    query,
  );
};

/** What the caller ordered, refused orders included. */
export const listOrders: Verb<"listOrders"> = async (context, query) => {
  const page = await context.ports.holdings.listOrders(requireCaller(context).account, query);
  return pageAnswer({ ...page, items: page.items.map(orderAnswer) }, query);
};

const subscriptionAnswer = (rails: Rails, row: SubscriptionRow): Subscription => ({
  planId: row.planId,
  planName: row.planName,
  owner: row.owner,
  scheme: rails.getByPrice(row.price).scheme,
  accessLimit: row.accessLimit,
  isTrial: row.isTrial,
  // Expired credits are taken back by a sweep some seconds later; they are already unusable.
  isActive: row.isLive && row.available + row.held > 0n,
  available: readableSum(row.isLive ? row.available : 0n).toString(),
  held: readableSum(row.held).toString(),
  ...(row.expiresAt && { endsAt: row.expiresAt.toISOString() }),
  minAmount: row.minAmount.toString(),
  maxAmount: row.maxAmount.toString(),
  orders: row.orders,
  ...(row.lastOrderAt && { lastOrderAt: row.lastOrderAt.toISOString() }),
  creditsGranted: readableSum(row.granted).toString(),
  creditsUsed: readableSum(row.used).toString(),
  requests30d: row.requests30d,
  creditsUsed30d: readableSum(row.used30d).toString(),
  activeTokens: row.activeTokens,
});

/** What went back of an order, for its two sides. */
export const backOf = (currency: string, row: OrderBack) => ({
  ...(row.refunded > 0n && { refunded: partOf(currency, row.refunded, row.creditsBack) }),
  ...(row.disputed > 0n && { disputed: partOf(currency, row.disputed, row.creditsDisputed) }),
});

const partOf = (currency: string, amount: bigint, credits: bigint) => ({
  ...moneyOf(currency, amount),
  credits: credits.toString(),
});

const orderAnswer = (order: OrderRow): OrderSummary => ({
  orderId: order.orderId,
  planId: order.planId,
  planName: order.planName,
  status: order.status,
  scheme: order.scheme,
  price: moneyOf(order.currency, order.price),
  creditsGranted: order.granted.toString(),
  ...backOf(order.currency, order),
  isTopUp: order.jti !== null,
  ...(order.delegationId && { delegationId: order.delegationId }),
  ...(order.jti && { tokenId: order.jti }),
  ...(order.paymentMethodId && { providerPaymentMethodId: order.paymentMethodId }),
  ...(order.reference && { reference: order.reference }),
  ...(order.failureCode && {
    failure: { code: order.failureCode, message: order.failureMessage ?? "" },
  }),
  createdAt: order.createdAt.toISOString(),
  ...(order.chargedAt && { chargedAt: order.chargedAt.toISOString() }),
  updatedAt: order.updatedAt.toISOString(),
});
