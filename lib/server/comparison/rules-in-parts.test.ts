import { expect, test } from "vitest";
import { openRuleStore } from "@/lib/adapters/db/testing/stores.ts";
import { createMarket, createTestService } from "../testing/test-service.ts";
import { createLedgerComparison } from "./ledger-comparison.ts";

test("a time with too much in it to be checked at once is checked in parts, all of it", async () => {
  const database = await openRuleStore();
  const service = createTestService(database);
  await createMarket(service);
  const run = (statement: string) => database.query(statement, []);
  await run(
    "update orders set updated_at = app_now() - interval '50 minutes', status = 'declined'",
  );
  await run(
    "insert into comparison_watermarks (name, at) values ('rules', app_now() - interval '1 hour')",
  );
  // As the deadline of a statement does on a busy service.
  await run("alter function check_recent_orders(timestamptz, timestamptz) rename to check_orders");
  await run(`create function check_recent_orders(p_since timestamptz, p_until timestamptz) returns table (rule text, subject text)
    language plpgsql as $$ begin
      if least(p_until, app_now()) - p_since > interval '10 minutes' then raise 'too much'; end if;
      return query select * from check_orders(p_since, p_until);
    end $$`);
  let ms = 0;
  const comparison = createLedgerComparison(database, () => ms);
  const [compare, rules] = comparison.workOf(service.ports, null);
  ms += 301_000;
  await compare?.run();
  const { findDegraded } = comparison.probe;
  const outcomes: string[] = [];
  do {
    if (!outcomes.includes("1")) expect(findDegraded?.()).toBe("rules not checked for 301 s");
    outcomes.push(String(await rules?.run().catch(() => "failed")));
  } while (outcomes.at(-1) !== "0" && outcomes.length < 20);
  // One part each time, so that a service can be stopped between two.
  expect([...new Set(outcomes)]).toEqual(["failed", "1", "0"]);
  expect(outcomes.filter((outcome) => outcome === "1").length).toBeGreaterThanOrEqual(7);
  const open = await comparison.differences.listOpen();
  expect(open.map(({ differenceId }) => differenceId)).toEqual([
    expect.stringMatching(/^inv_orders_minted:/),
  ]);
  const { rules: mark } = await comparison.differences.readWatermarks();
  expect(mark.getTime()).toBeGreaterThan(Date.now() - 60_000);
  await database.close();
});
