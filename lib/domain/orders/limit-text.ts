import { type BudgetCause, isBudgetCause, payerTextOf } from "../permissions/causes.ts";
import type { OrderLimit } from "./order-ports.ts";

/** Why an order or a payment is not made, for its payer. */
export const limitText = (limit: OrderLimit | BudgetCause): string =>
  isBudgetCause(limit) ? (payerTextOf(limit) ?? limit) : TEXTS[limit];

const TEXTS: Record<OrderLimit, string> = {
  spendingLimitCents: "The delegation’s spendingLimitCents leaves too little.",
  maxTransactions: "The delegation’s maxTransactions is reached.",
  orderLimit: "The access token’s orderLimit leaves too little.",
  revoked: "The delegation was revoked.",
  expired: "The delegation has expired.",
  tokenRevoked: "The access token was revoked.",
};
