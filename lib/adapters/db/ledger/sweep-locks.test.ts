import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { LEASE_SECS } from "@/lib/domain/permissions/lease.ts";
import { freshId } from "@/lib/server/testing/operation-samples.ts";
import { createPermissionCalls } from "@/lib/server/testing/permission-calls.ts";
import {
  createMarket,
  createTestService,
  type TestService,
} from "@/lib/server/testing/test-service.ts";
import { type Database, inTransaction } from "../client.ts";
import { openTestPostgres } from "../testing/stores.ts";

const postgres = inject("postgresUrl");

// The embedded database runs one transaction at a time: nothing ever waits there.
if (postgres) {
  let database: Database;
  let service: TestService;

  beforeAll(async () => {
    database = await openTestPostgres(postgres);
    service = createTestService(database);
  });
  afterAll(() => database.close());

  /** Waits until a statement of this text waits for a lock. */
  async function untilWaiting(text: string): Promise<void> {
    for (;;) {
      const rows = await database.query(
        "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like $1",
        [`%${text}%`],
      );
      if (rows.length > 0) return;
    }
  }

  test("the sweep keeps no hold's locks while it waits for the balance of an expired order", async () => {
    const held = await createMarket(service);
    const ended = await createMarket(service);
    const agentRequestId = freshId();
    const calls = createPermissionCalls(service, held);
    await calls.verify({ agentRequestId, reserve: true });
    await service.ports.clock.advance(LEASE_SECS + 1);
    await database.query(
      "update balances set expires_at = app_now() - interval '1 second' where account = $1",
      [ended.subscriber.address],
    );
    let sweeping: Promise<number> | undefined;
    await inTransaction(database.for("money").orm, async (transaction) => {
      await transaction.execute(
        `select 1 from balances where account = '${ended.subscriber.address}' for no key update`,
      );
      sweeping = service.ports.ledger.sweep();
      await untilWaiting("sweep_");
      // Were its locks kept, this would wait for the sweep, which waits for this transaction.
      const rows = await database.query<{ state: string }>(
        "select state from holds where agent_request_id = $1",
        [agentRequestId],
      );
      expect(rows).toEqual([{ state: "expired" }]);
    });
    expect(await sweeping).toBe(2);
  });
} else {
  test("there is no Postgres on this machine", () => expect(postgres).toBeFalsy());
}
