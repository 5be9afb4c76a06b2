import type { Role } from "@turnpike/payments/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { sumRequests } from "@/lib/adapters/db/testing/sum-requests.ts";
import { pretendCards } from "@/lib/server/testing/pretend-rail.ts";
import { createTestService, type TestParty } from "@/lib/server/testing/test-service.ts";
import { inFull } from "@/lib/testing/in-full.ts";
import { HOUR_SECS } from "@/lib/text/durations.ts";
import { type FilledLedger, fillLedger } from "./testing/fill-ledger.ts";
import {
  countBy,
  daysBefore,
  isSold,
  type Order,
  percentileOf,
  periodOf,
  type Range,
  type RawLedger,
  type Request,
  readRawLedger,
  requestsOfSide,
  roundToEven,
  salesBy,
  sum,
  within,
} from "./testing/ledger-sums.ts";

const SIZE = inFull(
  { plans: 130, delegations: 150, calls: 10_000 },
  { plans: 12, delegations: 24, calls: 300 },
);
const RANGES: readonly Range[] = ["24h", "7d", "30d"];
const ROLES: readonly Role[] = ["builder", "subscriber"];
const newest = (rows: readonly { at: Date }[]) =>
  rows
    .map(({ at }) => at.toISOString())
    .sort()
    .at(-1);
const LOST = ["refused", "not-charged", "delivered-unsettled", "unknown"];

describe.each(ruleStores())(
  "every figure is the sum of the ledger's rows, on $name",
  ({ open }) => {
    let database: Database;
    let filled: FilledLedger;
    let raw: RawLedger;
    let figures = 0;
    const isReal = ({ account }: { account: string }) => !raw.testers.has(account);
    /** Compares what a read says with the sum, and counts the figures compared. */
    const compare = (said: unknown, summed: unknown): void => {
      expect(said).toEqual(summed);
      figures += (JSON.stringify(summed) ?? "").match(/:/g)?.length ?? 1;
    };
    const everyone = () => filled.sellers.map((party) => [party, party.address] as const);
    /** Only the members that the sums have: names and decimals are not sums. */
    const only = (said: object, summed: object) =>
      Object.fromEntries(Object.keys(summed).map((key) => [key, (said as never)[key]]));
    const compareSold = (said: { currency: string }[], orders: readonly Order[]) => {
      const sums = salesBy(orders);
      const byCurrency = Object.fromEntries(said.map((one) => [one.currency, one]));
      expect(Object.keys(byCurrency).filter((one) => byCurrency[one] && sums[one])).toHaveLength(
        Object.keys(sums).length,
      );
      for (const [currency, sold] of Object.entries(sums)) {
        compare(only(byCurrency[currency] ?? {}, sold), sold);
      }
    };

    beforeAll(async () => {
      database = await open();
      const service = createTestService(database, { cards: pretendCards });
      // Buckets begin on the hour: the whole comparison happens within one.
      const { clock } = service.ports;
      const secs = Math.floor((await clock.now()).getTime() / 1_000);
      await clock.advance(HOUR_SECS - (secs % HOUR_SECS));
      filled = await fillLedger(database, service, SIZE);
      await sumRequests(database);
      await database.query("analyze", []);
      raw = await readRawLedger(database);
    }, 120_000);
    afterAll(async () => {
      console.log(
        `every sum: ${figures} figures over ${raw.requests.length} requests, 0 differences`,
      );
      await database.close();
    });

    test("with sums by the hour that equal the ledger", async () => {
      const sums = await database.query<{ account: string; since: Date; n: number }>(
        `select account, covered_from as since, sum(n)::int as n from summed_accounts join request_sums using (account, role)
         where role = 'builder' and covered_from < 'infinity' group by 1, 2`,
        [],
      );
      expect(sums).toHaveLength(filled.sellers.length);
      for (const { account, since, n } of sums) {
        const mine = raw.requests.filter(({ builder }) => builder === account);
        expect(n).toBe(mine.filter(within(since)).length);
      }
      expect((await brokenRules(database)).filter((rule) => rule.includes("sums"))).toEqual([]);
    });

    test("of calls by status, bucket and cause, for both roles and every range", async () => {
      for (const [party, account] of everyone()) {
        for (const role of ROLES) {
          for (const range of RANGES) await compareCalls(party, { account, role, range });
        }
      }
    });

    async function compareCalls(
      party: TestParty,
      { account, role, range }: { account: string; role: Role; range: Range },
    ) {
      const { since, before, bucketSecs, count, first, startOf } = periodOf(range, filled.now);
      const mine = requestsOfSide(raw, account, role);
      const now = mine.filter(within(since));
      const series = await party.figures.getActivitySeries({ role, range });
      const zeros = Object.fromEntries(Object.keys(series.totals).map((status) => [status, 0]));
      const statusesOf = (rows: readonly Request[]) => ({
        ...zeros,
        ...countBy(rows, ({ status }) => status),
      });
      compare(series.totals, statusesOf(now));
      const buckets = Array.from({ length: count }, (_, index) => ({
        at: startOf(first + index).toISOString(),
        counts: statusesOf(
          now.filter(({ at }) => Math.floor(at.getTime() / 1_000 / bucketSecs) === first + index),
        ),
      }));
      compare(series.buckets, buckets);

      const { causes } = await party.figures.getCauses({ role, range });
      const lost = mine.filter(({ status }) => LOST.includes(status));
      const byCause = (rows: readonly Request[]) =>
        countBy(rows, ({ cause, status }) => `${cause} ${status}`);
      const nowBy = byCause(lost.filter(within(since)));
      const beforeBy = byCause(lost.filter(within(before, since)));
      compare(
        Object.fromEntries(causes.map((one) => [`${one.cause} ${one.moneyStatus}`, one.calls])),
        nowBy,
      );
      compare(
        causes.map(({ cause, moneyStatus, previous }) => [`${cause} ${moneyStatus}`, previous]),
        causes.map(({ cause, moneyStatus }) => [
          `${cause} ${moneyStatus}`,
          beforeBy[`${cause} ${moneyStatus}`] ?? 0,
        ]),
      );
      if (role === "builder") await compareFunnel(party, { range, now });
    }

    async function compareFunnel(
      party: TestParty,
      { range, now }: { range: Range; now: readonly Request[] },
    ) {
      const funnel = await party.figures.getFunnel({ range });
      const of = (...statuses: string[]) => now.filter(({ status }) => statuses.includes(status));
      const arrived = of("unknown").filter(
        ({ httpStatus }) => httpStatus !== null && httpStatus >= 200 && httpStatus < 300,
      );
      const sums = {
        challenged: of("challenged").length,
        refused: of("refused").length,
        verified: of("settled", "not-charged", "delivered-unsettled", "unknown").length,
        notCharged: of("not-charged").length,
        delivered: of("settled", "delivered-unsettled").length + arrived.length,
        settled: of("settled").length,
      };
      compare(only(funnel, sums), sums);
    }

    test("of the home page, for both roles", async () => {
      for (const [party, account] of everyone()) {
        const { builder, subscriber } = await party.figures.getHome();
        const side = (role: Role) => {
          const mine = requestsOfSide(raw, account, role);
          const day = mine.filter(within(periodOf("24h", filled.now).since));
          const open = mine
            .filter(within(daysBefore(filled.now, 30)))
            .filter(({ status }) => status === "delivered-unsettled" || status === "unknown");
          const settled = day.filter(({ status }) => status === "settled");
          return { open, settled, credits: String(sum(settled, ({ credits }) => credits)) };
        };
        const [sells, buys] = [side("builder"), side("subscriber")];
        const own = (rows: readonly Record<string, unknown>[], column: string) =>
          rows.filter((row) => row[column] === account);
        const sold = {
          plans: own(raw.plans, "owner").length,
          agents: own(raw.agents, "owner").length,
          settled24h: sells.settled.length,
          creditsEarned24h: sells.credits,
          unsettled: sells.open.length,
          creditsDue: String(sum(sells.open, ({ credits }) => credits)),
          oldestUnsettledAt: sells.open.map(({ at }) => at.toISOString()).sort()[0],
        };
        compare(only(builder, sold), sold);
        const bought = {
          subscriptions: own(raw.balances, "account").length,
          tokens: own(raw.tokens, "account").length,
          hasLimit: own(raw.delegations, "account").some(
            ({ spending_limit_cents: cents, order_limit, sign_before }) =>
              sign_before === null && (Number(cents) > 0 || Number(order_limit) > 0),
          ),
          settled24h: buys.settled.length,
          creditsUsed24h: buys.credits,
          unsettled: buys.open.length,
          activeDelegations: own(raw.delegations, "account").filter(
            ({ revoked_at, expires_at }) =>
              revoked_at === null && (expires_at as Date) > filled.now,
          ).length,
        };
        compare(only(subscriber, bought), bought);
      }
    });

    test("of earnings: currencies, plans, agents, buckets and the period before", async () => {
      for (const [party, account] of everyone()) {
        for (const range of RANGES) await compareEarnings(party, { account, range });
      }
    });

    async function compareEarnings(
      party: TestParty,
      { account, range }: { account: string; range: Range },
    ) {
      const { since, before, bucketSecs, first } = periodOf(range, filled.now);
      const mine = raw.orders.filter((order) => order.owner === account).filter(isReal);
      const now = mine.filter(within(since));
      const earnings = await party.figures.getEarnings({ range });
      compareSold(earnings.totals, now);
      const net = (orders: readonly Order[]) =>
        Object.fromEntries(
          Object.entries(salesBy(orders)).map(([currency, { amount, refunded }]) => [
            currency,
            String(BigInt(amount) - BigInt(refunded)),
          ]),
        );
      const earlier = net(mine.filter(within(before, since)));
      compare(
        earnings.totals.map(({ currency, previous }) => [currency, previous]),
        earnings.totals.map(({ currency }) => [currency, earlier[currency] ?? "0"]),
      );
      const settled = requestsOfSide(raw, account, "builder").filter(
        ({ status }) => status === "settled",
      );
      const [served, servedBefore] = [
        settled.filter(within(since)),
        settled.filter(within(before, since)),
      ];
      const creditsOf = (rows: readonly Request[]) => String(sum(rows, ({ credits }) => credits));
      compare(earnings.creditsSettled, {
        amount: creditsOf(served),
        previous: creditsOf(servedBefore),
      });
      compare(earnings.requestsSettled, { count: served.length, previous: servedBefore.length });
      const paid = (orders: readonly Order[]) =>
        orders.filter(({ status, price }) => isSold(status) && price > 0n);
      compare(earnings.orders, {
        count: paid(now).length,
        previous: paid(mine.filter(within(before, since))).length,
        plans: new Set(paid(now).map(({ planId }) => planId)).size,
      });
      for (const { address, orders, lastOrderAt } of earnings.subscribers) {
        const sold = raw.orders.filter(
          (order) => order.owner === account && order.account === address && isSold(order.status),
        );
        compare({ orders, lastOrderAt }, { orders: sold.length, lastOrderAt: newest(sold) });
      }
      for (const plan of earnings.plans) {
        const there = served.filter(({ planId }) => planId === plan.planId);
        compareSold(
          plan.sold,
          now.filter(({ planId }) => planId === plan.planId),
        );
        const sums = { creditsSettled: creditsOf(there), requestsSettled: there.length };
        compare(only(plan, sums), sums);
      }
      for (const agent of earnings.agents) {
        const there = served.filter(({ agentId }) => (agentId ?? undefined) === agent.agentId);
        const sums = { creditsSettled: creditsOf(there), requestsSettled: there.length };
        compare(only(agent, sums), sums);
      }
      for (const [index, bucket] of earnings.buckets.entries()) {
        const isThere = ({ at }: { at: Date }) =>
          Math.floor(at.getTime() / 1_000 / bucketSecs) === first + index;
        const soldThere = Object.entries(salesBy(now.filter(isThere)));
        compare(
          bucket.sold.map(({ currency, amount, orders }) => [currency, amount, orders]).sort(),
          soldThere.map(([currency, { amount, orders }]) => [currency, amount, orders]),
        );
        const there = served.filter(isThere);
        const sums = { creditsSettled: creditsOf(there), requestsSettled: there.length };
        compare(only(bucket, sums), sums);
      }
    }

    test("of each plan and each agent, with the period before", async () => {
      for (const [party, account] of everyone()) {
        const { since, before } = periodOf("30d", filled.now);
        const mine = requestsOfSide(raw, account, "builder");
        const callsOf = (rows: readonly Request[]) => {
          const paid = rows.filter(({ status }) => status === "settled" || LOST.includes(status));
          const settled = paid.filter(({ status }) => status === "settled");
          const times = settled.flatMap(({ ms }) => ms ?? []);
          const [p50, p95] = [percentileOf(times, 0.5), percentileOf(times, 0.95)];
          return {
            attempts: paid.length,
            settled: settled.length,
            ...(p50 !== undefined && { p50Ms: roundToEven(p50) }),
            ...(p95 !== undefined && { p95Ms: roundToEven(p95) }),
          };
        };
        const plans = raw.plans.filter(({ owner }) => owner === account);
        for (const { plan_id } of plans) {
          const planId = String(plan_id);
          const said = await party.figures.getPlanFigures({ planId });
          const calls = mine.filter((request) => request.planId === planId);
          const orders = raw.orders.filter((order) => order.planId === planId).filter(isReal);
          compareSold(said.now.sold, orders.filter(within(since)));
          compareSold(said.previous.sold, orders.filter(within(before, since)));
          for (const [period, is] of [
            [said.now, within(since)],
            [said.previous, within(before, since)],
          ] as const) {
            const sums = { ...callsOf(calls.filter(is)), ...creditsOfPlan(planId, is) };
            compare(only(period, sums), sums);
          }
          compare(
            { subscribers: said.subscribers, creditsLeft: said.creditsLeft },
            leftOfPlan(planId),
          );
        }
        for (const { agent_id } of raw.agents.filter(({ owner }) => owner === account)) {
          const agentId = String(agent_id);
          const said = await party.figures.getAgentFigures({ agentId });
          const calls = mine.filter((request) => request.agentId === agentId);
          for (const [period, is] of [
            [said.now, within(since)],
            [said.previous, within(before, since)],
          ] as const) {
            const there = calls.filter(is);
            const settled = there.filter(({ status }) => status === "settled");
            const sums = {
              ...callsOf(there),
              customers: new Set(settled.flatMap(({ payer }) => payer ?? [])).size,
              creditsUsed: String(sum(settled, ({ credits }) => credits)),
            };
            compare(only(period, sums), sums);
          }
        }
      }
    }, 120_000);

    /** What a plan granted, charged and let expire, by its orders' and balances' transfers. */
    function creditsOfPlan(planId: string, is: (row: { at: Date }) => boolean) {
      const orders = new Map(raw.orders.map((order) => [order.orderId, order]));
      const transfers = raw.transfers.filter(
        ({ plan_id, account }) => plan_id === planId && !raw.testers.has(String(account)),
      );
      const amountOf = (row: Record<string, unknown>) => BigInt(String(row.amount));
      const minted = transfers.flatMap((row) => {
        const order = row.kind === "mint" ? orders.get(String(row.ref)) : undefined;
        return order ? [{ at: order.at, account: order.account, amount: amountOf(row) }] : [];
      });
      const firsts = new Map<string, Date>();
      for (const { account, at } of minted) {
        const known = firsts.get(account);
        if (!known || at < known) firsts.set(account, at);
      }
      const used = requestsOfSide(raw, raw.ownerOf.get(planId) ?? "", "builder").filter(
        (request) => request.planId === planId && request.status === "settled",
      );
      const expired = transfers
        .filter(({ kind }) => kind === "expire")
        .map((row) => ({ at: row.created_at as Date, amount: amountOf(row) }));
      return {
        newSubscribers: [...firsts.values()].filter((at) => is({ at })).length,
        creditsSold: String(sum(minted.filter(is), ({ amount }) => amount)),
        creditsUsed: String(sum(used.filter(is), ({ credits }) => credits)),
        creditsExpired: String(sum(expired.filter(is), ({ amount }) => amount)),
      };
    }

    function leftOfPlan(planId: string) {
      const live = raw.balances.filter(
        ({ plan_id, account, expires_at }) =>
          plan_id === planId &&
          !raw.testers.has(String(account)) &&
          (expires_at === null || (expires_at as Date) > filled.now),
      );
      const left = sum(live, (row) => BigInt(String(row.available)) + BigInt(String(row.held)));
      return { subscribers: live.length, creditsLeft: String(left) };
    }

    test("of customers and of delegations", async () => {
      for (const [party, account] of everyone()) {
        const plans = new Set(
          raw.plans.filter(({ owner }) => owner === account).map(({ plan_id }) => String(plan_id)),
        );
        const { items, total } = await party.figures.listCustomers({ limit: 100 });
        const holders = raw.balances
          .filter((row) => plans.has(String(row.plan_id)))
          .map((row) => String(row.account))
          .filter((holder) => !raw.testers.has(holder));
        compare(total, new Set(holders).size);
        const month = daysBefore(filled.now, 30);
        for (const { address, orders, calls, lastSeenAt } of items) {
          const bought = raw.orders.filter(
            (order) => plans.has(order.planId) && order.account === address && isSold(order.status),
          );
          const settled = raw.requests.filter(
            ({ builder, payer, status, at }) =>
              builder === account && payer === address && status === "settled" && at > month,
          );
          const seen = newest([...bought, ...settled]) ?? new Date(0).toISOString();
          compare(
            { orders, calls, lastSeenAt },
            { orders: bought.length, calls: settled.length, lastSeenAt: seen },
          );
          const { spent, recentOrders } = await party.figures.getCustomer({ address });
          compareSold(spent, bought);
          compare(recentOrders.find(({ status }) => isSold(status))?.at, newest(bought));
        }
        await compareDelegations(party, account);
      }
    });

    async function compareDelegations(party: TestParty, account: string) {
      const totals = await party.figures.getDelegationTotals();
      const mine = raw.delegations.filter((row) => row.account === account);
      const open = mine.filter(
        (row) => row.revoked_at === null && (row.expires_at as Date) > filled.now,
      );
      const big = (value: unknown) => BigInt(String(value ?? 0));
      const active = open.filter(
        (row) =>
          row.sign_before === null &&
          big(row.spent_cents) + big(row.reserved_cents) < big(row.spending_limit_cents) &&
          (row.max_transactions === null || big(row.transaction_count) < big(row.max_transactions)),
      );
      compare(
        { total: totals.total, open: totals.open, active: totals.active },
        { total: mine.length, open: open.length, active: active.length },
      );
      for (const { currency, remaining, reserved, reserving } of totals.limits) {
        const there = active.filter(
          (row) => (row.provider === "erc4337" ? "usdc" : row.currency) === currency,
        );
        compare(
          { remaining, reserved, reserving },
          {
            remaining: String(
              sum(
                there,
                (row) =>
                  big(row.spending_limit_cents) - big(row.spent_cents) - big(row.reserved_cents),
              ),
            ),
            reserved: String(sum(there, (row) => big(row.reserved_cents))),
            reserving: there.filter((row) => big(row.reserved_cents) > 0n).length,
          },
        );
      }
      const spent = raw.orders.filter(
        (order) =>
          order.account === account && order.delegationId !== null && order.status === "minted",
      );
      const keptOf = (sales?: { amount: string; refunded: string }) =>
        sales ? String(big(sales.amount) - big(sales.refunded)) : "0";
      const month = salesBy(spent.filter(within(daysBefore(filled.now, 30))));
      const before = salesBy(
        spent.filter(within(daysBefore(filled.now, 60), daysBefore(filled.now, 30))),
      );
      compare(
        totals.spent30d.map(({ currency, amount, orders, previous }) => [
          currency,
          amount,
          orders,
          previous,
        ]),
        totals.spent30d.map(({ currency }) => [
          currency,
          keptOf(month[currency]),
          month[currency]?.orders ?? 0,
          keptOf(before[currency]),
        ]),
      );
    }
  },
);
