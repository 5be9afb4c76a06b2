import { getFixedCreditsConfig } from "@turnpike/payments/protocol";
import { expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { freshId } from "./testing/operation-samples.ts";
import { createPermissionCalls } from "./testing/permission-calls.ts";
import { createMarket, createTestService } from "./testing/test-service.ts";

/** What a paid call hands to the background; each row goes to the sums and events of both sides later. */
const QUEUES = ["event_queue", "request_changes"];
/** Tables whose rows belong to one subscriber. */
const OF_SUBSCRIBERS = ["balances", "holds", "settlements", "tokens", "transfers"];

type Written = { table: string; account: string | null };

/** The rows that transactions from this one on have written, table by table. */
async function writtenSince(database: Database, transaction: number): Promise<Written[]> {
  const tables = await database.query<{ name: string; is_owned: boolean }>(
    `select t.table_name as name, exists (select 1 from information_schema.columns c
       where c.table_schema = 'public' and c.table_name = t.table_name and c.column_name = 'account') as is_owned
     from information_schema.tables t where t.table_schema = 'public' and t.table_type = 'BASE TABLE'`,
    [],
  );
  const rows = await Promise.all(
    tables.map(({ name, is_owned }) =>
      database.query<Written>(
        `select distinct $2::text as "table", ${is_owned ? "account" : "null"} as account
         from "${name}" where xmin::text::bigint > $1`,
        [transaction, name],
      ),
    ),
  );
  return rows.flat();
}

test.each(ruleStores())(
  "reserving, settling and releasing write rows of the request's subscriber alone, on $name",
  async ({ open }) => {
    const database = await open();
    const service = createTestService(database);
    const market = await createMarket(service, { credits: getFixedCreditsConfig(100n, 1n) });
    // Another subscriber of the same plan, with the same calls before.
    const others = await createMarket(service, { credits: getFixedCreditsConfig(100n, 1n) });
    const calls = createPermissionCalls(service, market);
    await createPermissionCalls(service, others).settle({ agentRequestId: freshId() });
    await calls.settle({ agentRequestId: freshId() });

    const [delivered, dropped] = [freshId(), freshId()];
    const steps: Record<string, () => Promise<unknown>> = {
      reserve: () => calls.verify({ agentRequestId: delivered, reserve: true }),
      "settle what is reserved": () => calls.settle({ agentRequestId: delivered }),
      settle: () => calls.settle({ agentRequestId: freshId() }),
      "reserve again": () => calls.verify({ agentRequestId: dropped, reserve: true }),
      release: () =>
        market.builder.payments.facilitator.releasePermissions({ agentRequestId: dropped }),
    };
    const touched = new Set<string>();
    for (const [step, take] of Object.entries(steps)) {
      const [begin] = await database.query<{ id: number }>("select txid_current() as id", []);
      await take();
      for (const { table, account } of await writtenSince(database, begin?.id ?? 0)) {
        touched.add(table);
        const isQueue = QUEUES.includes(table);
        expect([step, table, isQueue ? null : account]).toEqual([
          step,
          table,
          isQueue ? null : market.subscriber.address,
        ]);
      }
    }
    expect([...touched].sort()).toEqual([...OF_SUBSCRIBERS, ...QUEUES].sort());
    await database.close();
  },
);
