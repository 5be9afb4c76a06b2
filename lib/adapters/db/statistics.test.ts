import { expect, test } from "vitest";
import { listStatement } from "./figures/request-rows.ts";
import { refreshStatistics } from "./statistics.ts";
import { openTestPglite } from "./testing/stores.ts";

const BUILDER = `0x${"aB".repeat(20)}`;

test("a page of a long log reads a page of rows once the embedded database knows how long it is", async () => {
  const database = await openTestPglite();
  await database.query("insert into accounts (address, owner, created_at) values ($1, $1, now())", [
    BUILDER,
  ]);
  await database.query(
    `insert into request_reports (request_key, builder, agent_request_id, at, method, path, plan_id, http_status, money_status)
     select $1 || '/seen-' || n, $1, 'seen-' || n, now() - n * interval '1 second', 'POST', '/ask', '1', 402, 'challenged'
     from generate_series(1, 10000) n`,
    [BUILDER],
  );
  const filter = { role: "builder", since: new Date(Date.now() - 86_400_000) } as const;
  const [page, parameters] = listStatement(BUILDER, filter, {
    after: undefined,
    limit: 51,
    offset: 0,
  });
  /** The most rows that one step of reading the page touches. */
  const mostRows = async () => {
    const plan = await database.query<{ "QUERY PLAN": string }>(
      `explain (analyze, costs off, timing off) ${page}`,
      parameters,
    );
    const lines = plan.map((line) => line["QUERY PLAN"]).join("\n");
    return Math.max(
      ...[...lines.matchAll(/actual rows=([\d.]+)/g)].map(([, rows]) => Number(rows)),
    );
  };
  expect(await mostRows()).toBe(10_000);
  // Changes are counted once a second.
  await expect.poll(() => refreshStatistics(database), { timeout: 5_000 }).toBeGreaterThan(0);
  expect(await mostRows()).toBeLessThan(100);
  await expect.poll(() => refreshStatistics(database), { timeout: 5_000 }).toBe(0);
  await database.close();
});
