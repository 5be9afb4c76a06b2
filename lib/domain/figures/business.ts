import type { ParsedInputOf } from "@turnpike/payments/protocol";
import type {
  AgentFigures,
  Customer,
  CustomerDetails,
  PlanFigures,
  PlanVersion,
} from "@/lib/console/business.ts";
import type { ConsoleOperations } from "@/lib/console/operations.ts";
import { type Context, notFound, requireCaller } from "../context.ts";
import { moneyOf } from "../orders/money.ts";
import { pageAnswer } from "../page-answer.ts";
import { getOwnAgent } from "../plans/agents.ts";
import { getOwnPlan } from "../plans/plans.ts";
import { currencyPaid } from "../rails/rail.ts";
import type { Rails } from "../rails/rails.ts";
import type { Verb } from "../verb.ts";
import type { CallCounts, CustomerOrderRow, CustomerRow } from "./business-ports.ts";
import { creditsOf, soldOf, worthOf } from "./earnings.ts";
import { backOf } from "./holdings.ts";
import { periodOf } from "./period.ts";

type Input<K extends keyof ConsoleOperations> = ParsedInputOf<K, ConsoleOperations>;

/** What a plan sold and served in a period and in the one before. */
export async function getPlanFigures(
  context: Context,
  { planId, range, includeTest }: Input<"getPlanFigures">,
): Promise<PlanFigures> {
  const { owner } = await getOwnPlan(context, planId);
  const { business, figures } = context.ports;
  const { before, since, bucketSecs, isNow } = await periodOf(context, range);
  const [calls, counts, allSales] = await Promise.all([
    business.calls(owner, { before, since, planId, includeTest }),
    business.planCounts(planId, { before, since, includeTest }),
    figures.sales(owner, before, bucketSecs, includeTest),
  ]);
  const sales = allSales.filter((row) => row.planId === planId);
  const period = (which: "now" | "previous") => ({
    ...callsOf(calls[which]),
    sold: soldOf(
      context.ports.rails,
      sales.filter((row) => isNow(row) === (which === "now")),
    ),
    newSubscribers: counts[which].newSubscribers,
    creditsSold: counts[which].creditsSold.toString(),
    creditsUsed: calls[which].credits.toString(),
    creditsExpired: counts[which].creditsExpired.toString(),
  });
  return {
    range,
    since: since.toISOString(),
    causes: calls.causes,
    now: period("now"),
    previous: period("previous"),
    subscribers: counts.subscribers,
    renewing: counts.renewing,
    creditsLeft: counts.creditsLeft.toString(),
  };
}

/** What an agent served in a period and in the one before. */
export async function getAgentFigures(
  context: Context,
  { agentId, range, includeTest }: Input<"getAgentFigures">,
): Promise<AgentFigures> {
  const { owner } = await getOwnAgent(context, agentId);
  const { business, figures, rails } = context.ports;
  const { before, since, bucketSecs, isNow } = await periodOf(context, range);
  const [calls, allServed] = await Promise.all([
    business.calls(owner, { before, since, agentId, includeTest }),
    figures.served(owner, before, bucketSecs, includeTest),
  ]);
  const served = allServed.filter((row) => row.agentId === agentId);
  const period = (which: "now" | "previous") => {
    const rows = served.filter((row) => isNow(row) === (which === "now"));
    return {
      ...callsOf(calls[which]),
      worth: worthOf(rows, rails),
      customers: calls[which].customers,
      creditsUsed: creditsOf(rows),
    };
  };
  return {
    range,
    since: since.toISOString(),
    causes: calls.causes,
    now: period("now"),
    previous: period("previous"),
  };
}

/** The versions of a plan of the caller's, newest first. */
export async function listPlanVersions(
  context: Context,
  { planId }: Input<"listPlanVersions">,
): Promise<{ items: PlanVersion[] }> {
  await getOwnPlan(context, planId);
  const versions = await context.ports.business.versions(planId);
  return {
    items: versions.map((version) => ({ ...version, createdAt: version.createdAt.toISOString() })),
  };
}

/** Who ordered the caller's plans, last seen first. */
export const listCustomers: Verb<"listCustomers"> = async (context, query) => {
  const { account } = requireCaller(context);
  if (query.planId !== undefined) await getOwnPlan(context, query.planId);
  const { items, ...page } = await context.ports.business.customers(account, query);
  const now = await context.ports.clock.now();
  return pageAnswer({ ...page, items: items.map((row) => customerOf(row, now)) }, query);
};

/** One account that ordered a plan of the caller's. */
export async function getCustomer(
  context: Context,
  { address }: Input<"getCustomer">,
): Promise<CustomerDetails> {
  const { account } = requireCaller(context);
  const { business, clock, rails } = context.ports;
  const [found] = (await business.customers(account, { address, limit: 1 })).items;
  if (!found) throw notFound("customer", address);
  const { before, since } = await periodOf(context, "30d");
  const [calls, history, now] = await Promise.all([
    business.calls(account, { before, since, payer: address }),
    business.customerHistory(account, address),
    clock.now(),
  ]);
  return {
    ...customerOf(found, now),
    since: history.since.toISOString(),
    spent: soldOf(rails, history.spent),
    now: callsOf(calls.now),
    previous: callsOf(calls.previous),
    causes: calls.causes,
    recentOrders: history.orders.map(orderAnswer(rails)),
    tokens: history.tokens,
  };
}

const orderAnswer = (rails: Rails) => (row: CustomerOrderRow) => {
  const { orderId, planId, planName, status, price, scheme, at } = row;
  const currency = currencyPaid(rails.find(scheme), row.currency);
  return {
    orderId,
    planId,
    planName,
    status,
    ...moneyOf(currency, price),
    ...backOf(currency, row),
    at: at.toISOString(),
  };
};

/** A customer, with whether something is left of each plan. */
const customerOf = (row: CustomerRow, now: Date): Customer => ({
  ...row,
  plans: row.plans.map((plan) => ({
    ...plan,
    isActive: plan.available !== "0" && (!plan.expiresAt || new Date(plan.expiresAt) > now),
  })),
});

const callsOf = ({ attempts, settled, p50Ms, p95Ms }: CallCounts) => ({
  attempts,
  settled,
  ...(p50Ms !== null && { p50Ms }),
  ...(p95Ms !== null && { p95Ms }),
});
