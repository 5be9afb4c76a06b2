import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "../client.ts";
import { ruleStores } from "../testing/stores.ts";
import { createMirrorLedger } from "./mirror-ledger.ts";

describe.each(ruleStores())("burns that wait for the chain, $name", ({ open }) => {
  let database: Database;
  beforeAll(async () => {
    database = await open();
  });
  afterAll(() => database.close());

  test("count the chain's refusals, not what they wait for", async () => {
    await database.query(
      `insert into outbox (kind, ref, payload, state, attempts, due_at, fence, created_at)
       values ('chain.burn', 'late', '{}', 'open', 0, app_now(), 0, app_now())`,
      [],
    );
    const { updateSettlements } = createMirrorLedger(database);
    const wait = {
      settlementId: "late",
      status: "pending",
      transaction: "",
      retryAt: Date.now(),
    } as const;
    await updateSettlements([{ ...wait, reason: "GasBudget" }]);
    await updateSettlements([{ ...wait, reason: "InsufficientCredits", isRefused: true }]);
    await updateSettlements([{ ...wait, reason: "BundleReverted" }]);
    const rows = await database.query(
      `select state, attempts, last_error as reason from outbox where ref = 'late'`,
      [],
    );
    expect(rows).toEqual([{ state: "open", attempts: 1, reason: "BundleReverted" }]);
  });
});
