import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { longTest } from "@/lib/testing/in-full.ts";
import type { Database } from "../client.ts";
import { brokenRules, ruleStores } from "../testing/stores.ts";
import { sumRequests } from "../testing/sum-requests.ts";
import { createFigures } from "./figures.ts";
import { statementOf } from "./request-rows.ts";
import { UNPAID, unpaidStatement } from "./unpaid-causes.ts";

const builder = `0x${"a".repeat(40)}`;
const seller = `0x${"b".repeat(40)}`;

describe.each(ruleStores())("sums of unpaid requests, on $name", ({ open }) => {
  let database: Database;
  const run = <Row>(text: string, ...parameters: unknown[]) =>
    database.query<Row>(text, parameters);

  beforeAll(async () => {
    database = await open();
    await run(
      "insert into accounts (address, owner, created_at) values ($1, $1, now()), ($2, $2, now())",
      builder,
      seller,
    );
  }, 60_000);
  afterAll(() => database.close());

  /** Reports of refused requests, each of another path, evenly over `days`. */
  const report = (account: string, count: number, days: number) =>
    run(
      `insert into request_reports (request_key, builder, agent_request_id, at, method, path, http_status, money_status, reason)
       select $1::text || '/r' || n, $1, 'r' || n, now() - n * (make_interval(days => $3) / $2), 'POST', '/items/' || n, 402, 'refused', 'no_credits'
       from generate_series(1, $2::int) n`,
      account,
      count,
      days,
    );

  longTest(
    "cover a long history a day a round, of an account with few other requests",
    async () => {
      await report(builder, 50_001, 20);
      // As an upgrade finds it: with sums of few settlements, and none of these.
      await run("delete from request_changes");
      await run(
        `insert into summed_accounts (account, role, seen, covered_from, unpaid_from)
       values ($1, 'builder', 5000, now() - interval '70 days', 'infinity')`,
        builder,
      );
      const rounds = createFigures(database);
      const counted = async () =>
        (await run<{ n: number }>("select count(*)::int as n from counted_unpaid"))[0]?.n ?? 0;
      await rounds.sumRequests(5000);
      expect(await counted()).toBeLessThan(5_000);
      await rounds.sumRequests(5000);
      expect(await counted()).toBeLessThan(10_000);
      await sumRequests(database, 5000);
      expect(await counted()).toBe(50_001);
    },
    60_000,
  );

  longTest(
    "step through no more than ten thousand sources, and name what requests name",
    async () => {
      await report(seller, 12_000, 3);
      await sumRequests(database);
      await run("analyze");
      const scope = { role: "builder", since: new Date(Date.now() - 2 * 86_400_000) } as const;
      const causes = (rows: string) =>
        `select status, cause, count(distinct route)::int as routes, max(at) as at, (array_agg(route order by at desc))[1] as route from ${rows}
       where at >= now() - interval '40 hours' group by 1, 2`;
      const [sums, parameters] = unpaidStatement(seller, scope, ({ seen }) => causes(seen));
      const [each, bound] = statementOf(seller, { ...scope, moneyStatus: UNPAID }, causes);
      const named = await run<{ routes: number }>(sums, ...parameters);
      expect(named[0]?.routes).toBeGreaterThan(5_000);
      expect(named).toEqual(await run(each, ...bound));
      const [plan] = await run(
        `explain (analyze, format json) select * from unpaid_sources('${seller}', 'builder', now() - interval '2 days')`,
      );
      const text = JSON.stringify(plan);
      const steps = /"Node Type":"Recursive Union",[^[]*"Actual Rows":(\d+)/.exec(text);
      expect(Number(steps?.[1])).toBeGreaterThan(0);
      expect(Number(steps?.[1])).toBeLessThanOrEqual(10_000);
    },
    60_000,
  );

  test("are what the ledger and the reports say", async () => {
    // The other sums of the first account are not there: they were not what was looked at.
    const broken = (await brokenRules(database)).filter((rule) => rule.includes("unpaid_sums"));
    expect(broken).toEqual([]);
  }, 60_000);
});
