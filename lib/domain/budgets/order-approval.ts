import { PaymentsError } from "@turnpike/payments/protocol";
import { type Context, requireCaller } from "../context.ts";
import { parCurrency } from "../orders/money.ts";
import { type Cause, payerTextOf } from "../permissions/causes.ts";
import type { OrderRecord } from "../records.ts";
import { askApproval } from "./ask-approval.ts";

/** An order by an API key, as an approval names it: no token asks, and every order of the plan is for the same. */
export const askerOf = (keyId: string | null): string => `key:${keyId ?? ""}`;
export const orderSubject = (planId: string): string => `ORDER /plans/${planId}`;

/** The refusal of an order that a budget forbids; one that waits for a person names the approval. */
export async function refusedByBudget(
  context: Context,
  order: OrderRecord,
  cause: Cause,
): Promise<PaymentsError> {
  const counted = cause === "budget_currency" ? await otherCurrency(context, order) : undefined;
  const text = payerTextOf(cause) ?? "A budget does not allow this order.";
  const message = counted ? `A budget counts ${counted.toUpperCase()}. ${text}` : text;
  const asked = cause === "pending_approval" ? await ask(context, order) : null;
  return new PaymentsError("payment_refused", message, {
    details: [
      { path: "order", message: cause },
      ...(asked ? [{ path: "approvalId", message: asked.approvalId }] : []),
    ],
    hint: asked
      ? `Have it approved at ${asked.url}, then order again.`
      : "Budgets count every payment method: another one is refused as well.",
  });
}

/** The currency of a budget over the order that does not count its price. */
async function otherCurrency({ ports }: Context, order: OrderRecord): Promise<string | undefined> {
  const { account, delegationId, currency } = order;
  const scopes = delegationId ? [account, delegationId] : [account];
  const found = await Promise.all(scopes.map((scope) => ports.budgets.find({ scope, account })));
  return found
    .map((budgets) => budgets?.document.currency)
    .find((counted) => counted && counted !== parCurrency(currency));
}

async function ask({ ports, ...context }: Context, order: OrderRecord) {
  const { account, planId, delegationId, cents, currency } = order;
  const plan = await ports.plans.find(planId);
  if (!plan) return null;
  return askApproval(ports, {
    account,
    jti: askerOf(requireCaller({ ports, ...context }).keyId),
    delegationId,
    subject: orderSubject(planId),
    planId,
    builder: plan.owner,
    agentId: null,
    reason: null,
    maxCents: cents ?? 0n,
    currency: parCurrency(currency),
    maxCredits: 0n,
  });
}
