import { expect, test } from "vitest";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { inFull, longTest } from "@/lib/testing/in-full.ts";
import { simulate } from "./testing/simulator/simulate.ts";

const OPERATIONS = inFull(10_000, 1_000);
/** What must have happened for a run to count: every kind of answer. */
const KINDS = [
  ...["ok", "settled", "released", "lost", "waits", "minted", "declined"],
  ...["outcome_unknown", "conflict", "idempotency_conflict", "invalid_amount", "not_found"],
  ...["no:token_revoked", "no:token_expired", "no:redemption_limit", "no:order_limit"],
  ...["no:budget_per_day", "lent"],
];

test.each(ruleStores())(
  "R1: thousands of operations with faults leave the ledger as the model says, on $name",
  async ({ open }) => {
    const database = await open();
    const found = await simulate(database, { seed: 1, operations: OPERATIONS });
    expect(found.faults).toEqual([]);
    expect(found.operations).toBe(OPERATIONS);
    const seen = [...found.answers.keys()].join();
    expect(KINDS.filter((kind) => !seen.includes(kind))).toEqual([]);
    await database.close();
  },
  120_000,
);

longTest.each(ruleStores())("a seed tells one story, on $name", async ({ open }) => {
  const digests = await Promise.all(
    [7, 7, 8].map(async (seed) => {
      const database = await open();
      const { digest } = await simulate(database, {
        seed,
        operations: 200,
        actors: 10,
      });
      await database.close();
      return digest;
    }),
  );
  expect(digests[0]).toBe(digests[1]);
  expect(digests[0]).not.toBe(digests[2]);
});

test.each(ruleStores())("a credit that no rule moved is found, on $name", async ({ open }) => {
  const database = await open();
  let isRobbed = false;
  const found = await simulate(database, {
    seed: 3,
    operations: 600,
    actors: 10,
    block: 200,
    onBlock: async () => {
      if (isRobbed) return;
      isRobbed = true;
      await database.query(
        "update balances set available = available + 1 where account = (select account from balances where available > 9 limit 1)",
        [],
      );
    },
  });
  expect(found.faults).not.toEqual([]);
  await database.close();
});
