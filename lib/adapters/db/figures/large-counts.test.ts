import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "../client.ts";
import { ruleStores } from "../testing/stores.ts";
import { createFigures } from "./figures.ts";
import { leastStatement } from "./request-sums.ts";

const builder = `0x${"b".repeat(40)}`;
const REQUESTS = 2_160_000_000;

describe.each(ruleStores())("more than 2^31 requests of an account, on $name", ({ open }) => {
  let database: Database;
  const run = <Row>(text: string, ...parameters: unknown[]) =>
    database.query<Row>(text, parameters);

  beforeAll(async () => {
    database = await open();
    await run("insert into accounts (address, owner, created_at) values ($1, $1, now())", builder);
    await run(
      `insert into summed_accounts (account, role, seen, covered_from, unpaid_from)
       values ($1, 'builder', 5000, now() - interval '65 days', now() - interval '65 days')`,
      builder,
    );
    await run(
      `insert into request_sums (account, role, hour, plan_id, agent_id, is_agent_reported, is_test, status, n, delivered, credits)
       select $1, 'builder', date_trunc('hour', now() - n * interval '1 hour'), '', '', false, false, 'challenged', 1500000, 0, 0
       from generate_series(1, 1440) n`,
      builder,
    );
  });
  afterAll(() => database.close());

  test("are counted by lists and by figures", async () => {
    const [text, parameters] = leastStatement(builder, { role: "builder" }) ?? ["", []];
    expect(await run(text, ...parameters)).toEqual([{ n: REQUESTS }]);
    const since = new Date(Date.now() - 64 * 86_400_000);
    const scope = { role: "builder", since, includeTest: false } as const;
    const figures = createFigures(database);
    expect(await figures.funnel(builder, scope)).toMatchObject({ challenged: REQUESTS });
    const year = 365 * 86_400;
    const series = await figures.series(builder, scope, year);
    expect(series.reduce((sum, { n }) => sum + n, 0)).toBe(REQUESTS);
  });
});
