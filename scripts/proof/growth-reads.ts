// What the dashboard of a builder with many requests reads.
import type { Database } from "@/lib/adapters/db/client.ts";
import { createActivity } from "@/lib/adapters/db/figures/activity.ts";
import { createBusiness } from "@/lib/adapters/db/figures/business.ts";
import { createFigures } from "@/lib/adapters/db/figures/figures.ts";
import { createHoldings } from "@/lib/adapters/db/figures/holdings.ts";
import { createSearch } from "@/lib/adapters/db/figures/search.ts";
import type { TestMarket } from "@/lib/server/testing/test-service.ts";
import { busySubscriber, ordinarySubscriber as subscriber } from "./growth-seed.ts";

export const reads = (
  database: Database,
  { builder, planId, agentId }: TestMarket,
): Record<string, () => Promise<unknown>> => {
  const account = builder.address;
  const activity = createActivity(database);
  const figures = createFigures(database);
  const business = createBusiness(database);
  const holdings = createHoldings(database);
  const search = createSearch(database);
  const role = "builder" as const;
  const now = Date.now();
  const daysAgo = (days: number) => new Date(Math.floor(now / 86_400_000 - days) * 86_400_000);
  const day = {
    role,
    since: new Date(Math.floor(now / 3_600_000 - 23) * 3_600_000),
    includeTest: false,
  };
  const month = { role, since: daysAgo(29), includeTest: false };
  const used = { ...month, role: "subscriber" as const };
  const list = (more: object = {}, page: object = {}) =>
    activity.list(account, { role, ...more }, { limit: 25, ...page });
  return {
    list: () => list(),
    "list, settled": () => list({ moneyStatus: ["settled"] }),
    "list, not charged": () => list({ moneyStatus: ["not-charged"] }),
    "list, 402": () => list({ moneyStatus: ["challenged"] }),
    "list, subscriber": () => activity.list(subscriber, { role: "subscriber" }, { limit: 25 }),
    "list, busy subscriber": () =>
      activity.list(busySubscriber, { role: "subscriber" }, { limit: 25 }),
    "list, one payer": () => list({ payer: subscriber }),
    "list, deep page": () => list({}, { offset: 5_000 }),
    "list, search": () => list({ search: "nothing-like-it" }),
    "one request": () => activity.find(account, "nothing-like-it", true),
    "one request, busy subscriber": () => activity.find(busySubscriber, "nothing-like-it"),
    "search, requests": () => search.requestsLike(account, "nothing-like-it", 5),
    home: () => figures.home(account, { ...day, now: new Date() }),
    "home, subscriber": () => figures.home(subscriber, { ...day, now: new Date() }),
    "home, busy subscriber": () => figures.home(busySubscriber, { ...day, now: new Date() }),
    "credits due": () => figures.creditsDue(account, new Date(), false),
    "funnel, day": () => figures.funnel(account, day),
    "funnel, month": () => figures.funnel(account, month),
    "series, day": () => figures.series(account, day, 3_600),
    "series, month": () => figures.series(account, month, 86_400),
    "series, subscriber": () => figures.series(subscriber, used, 86_400),
    "series, busy subscriber": () => figures.series(busySubscriber, used, 86_400),
    "served, day": () => figures.served(account, day.since, 3_600, false),
    "served, two months": () => figures.served(account, daysAgo(59), 86_400, false),
    "causes, day": () => figures.causes(account, day, new Date(now - 2 * 86_400_000)),
    "causes, month": () => figures.causes(account, month, daysAgo(59)),
    "plan, two months": () =>
      business.calls(account, { since: daysAgo(29), before: daysAgo(59), planId }),
    "agent, market": () => business.agentFacts([agentId], daysAgo(29)),
    customers: () => business.customers(account, { limit: 25 }),
    "plan, sold": () =>
      business.planCounts(planId, { since: daysAgo(29), before: daysAgo(59), includeTest: false }),
    "top subscribers": () => figures.topSubscribers(account, false),
    subscriptions: () => holdings.listSubscriptions(subscriber, { limit: 25 }, undefined),
    "subscriptions, busy": () =>
      holdings.listSubscriptions(busySubscriber, { limit: 25 }, undefined),
  };
};
