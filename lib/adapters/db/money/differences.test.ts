import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Difference } from "@/lib/domain/reconciliation/difference-ports.ts";
import type { Database } from "../client.ts";
import { createClock } from "../clock.ts";
import { ruleStores } from "../testing/stores.ts";
import { createDifferences } from "./differences.ts";

describe.each(ruleStores())("a difference that a person explained, on $name", ({ open }) => {
  let database: Database;
  beforeAll(async () => {
    database = await open();
  });
  afterAll(() => database.close());

  const start = async (name: string, given: Partial<Difference> = {}) => {
    const differences = createDifferences(database);
    const late: Difference = {
      ...{ differenceId: name, kind: "rule_late", subject: name, reference: null },
      detail: `Work of ${name} is late.`,
      ...given,
    };
    /** What is new of a look that found these. */
    const look = async (found: Difference[]) => {
      const judged = [name, ...(await differences.listLate())];
      const isNew = await differences.save({ judged, found, healed: [] }, {});
      return isNew.map(({ detail }) => detail);
    };
    expect(await look([late])).toEqual([late.detail]);
    expect(await differences.explain(name, "The node was away.")).toBe(1);
    return { differences, late, look };
  };

  test("stays so while it is the same", async () => {
    const { differences, late, look } = await start("chain.burn");
    expect(await look([late])).toEqual([]);
    expect(await differences.listOpen()).toEqual([]);
  });

  test("is new when it was gone in between", async () => {
    const { differences, late, look } = await start("chain.mint");
    expect(await look([])).toEqual([]);
    expect(await look([late])).toEqual([late.detail]);
    expect(await differences.listOpen()).toHaveLength(1);
    await differences.explain(late.differenceId, "examined");
  });

  test("is new when it is another amount", async () => {
    const { late, look } = await start("ord_1", { kind: "refund_unknown" });
    const larger = { ...late, detail: "Twice as much went back." };
    expect(await look([larger])).toEqual([larger.detail]);
  });
});

describe.each(ruleStores())("payouts that are late, on $name", ({ open }) => {
  test("are listed once they have been stuck for a day, or a week longer at the bank than it said", async () => {
    const database = await open();
    const write = (id: string, state: string, ages: { updated: number; arrived?: number }) =>
      database.query(
        `insert into payouts (payout_id, account, processor_account, currency, amount, state, created_at, updated_at, arrives_at, due_at)
         values ($1, '0xa', 'acct_1', 'usd', 1000000, $2, app_now(), app_now() - make_interval(hours => $3),
           app_now() - make_interval(hours => $4), app_now())`,
        [id, state, ages.updated, ages.arrived ?? null],
      );
    await database.query(
      "insert into accounts (address, owner, created_at) values ('0xa', '0xb', app_now())",
      [],
    );
    await write("open", "open", { updated: 25 });
    await write("returning", "returning", { updated: 25 });
    await write("at-bank", "sent", { updated: 300, arrived: 169 });
    await write("open-now", "open", { updated: 23 });
    await write("sent-now", "sent", { updated: 300, arrived: 167 });
    await write("paid", "paid", { updated: 300, arrived: 300 });
    await write("failed", "failed", { updated: 300 });
    const late = await createDifferences(database).checkRules(new Date());
    expect(late.map(({ kind, subject }) => `${kind} ${subject}`).sort()).toEqual([
      "rule_late inv_payouts_late:at-bank",
      "rule_late inv_payouts_late:open",
      "rule_late inv_payouts_late:returning",
    ]);
    await database.close();
  });
});

test.each(ruleStores())(
  "a clock that was ahead for a while leaves no time out, on $name",
  async ({ open }) => {
    const database = await open();
    const differences = createDifferences(database);
    const ahead = new Date(Date.now() + 86_400_000);
    const marks = { ledger: ahead, processor: ahead, rules: ahead };
    await differences.save({ judged: [], found: [], healed: [] }, marks);
    const read = await differences.readWatermarks();
    for (const at of Object.values(read)) expect(at.getTime()).toBeLessThan(Date.now() + 60_000);
    await database.close();
  },
);

test.each(ruleStores())(
  "a clock that was set back leaves no time out while nothing was compared, on $name",
  async ({ open }) => {
    const database = await open();
    const differences = createDifferences(database);
    const clock = createClock(database);
    const save = async () => {
      const at = await clock.now();
      const marks = { ledger: at, processor: at, rules: at };
      await differences.save({ judged: [], found: [], healed: [] }, marks);
      return at.getTime();
    };
    await clock.advance(86_400);
    await save();
    await clock.advance(-86_400);
    const last = await save();
    await clock.advance(3_600);
    const read = await differences.readWatermarks();
    for (const at of Object.values(read)) expect(at.getTime()).toBe(last);
    await database.close();
  },
);
