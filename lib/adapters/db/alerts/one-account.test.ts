import { expect, test } from "vitest";
import { runAlerts } from "@/lib/domain/alerts/run-alerts.ts";
import { freshId } from "@/lib/server/testing/operation-samples.ts";
import {
  createMarket,
  createTestService,
  type TestMarket,
  type TestService,
} from "@/lib/server/testing/test-service.ts";
import type { Database } from "../client.ts";
import { openRuleStore } from "../testing/stores.ts";

/** Two accounts in one round: the first one's alerts are looked at first. */
async function inOneRound(
  check: (parts: {
    database: Database;
    service: TestService;
    first: string;
    second: TestMarket;
  }) => Promise<void>,
) {
  const database = await openRuleStore();
  try {
    const service = createTestService(database);
    const first = (await createMarket(service)).subscriber.address;
    const second = await createMarket(service);
    await database.query("select wake_alerts($1)", [first]);
    await check({ database, service, first, second });
  } finally {
    await database.close();
  }
}

/** All calls of a seller fail. */
async function fail({ ports }: TestService, { builder, planId, agentId }: TestMarket) {
  const call = () => ({
    agentRequestId: freshId(),
    at: new Date(Date.now() - 5).toISOString(),
    ...{ method: "POST", path: "/ask", planId, agentId, httpStatus: 500 },
    moneyStatus: "not-charged" as const,
  });
  await ports.activity.report(builder.address, Array.from({ length: 30 }, call));
}

const alertsOf = async ({ builder }: TestMarket) =>
  (await builder.payments.alerts.listAlerts({ limit: 10 })).items.map(({ kind }) => kind);

test(
  "an account with thousands of open alerts does not stop those of others",
  () =>
    inOneRound(async ({ database, service, first, second }) => {
      // Of a day each, nearly over: several alerts about each one.
      await database.query("set session_replication_role = replica", []);
      await database.query(
        `insert into delegations (delegation_id, account, provider, currency, plan_ids, spending_limit_cents, spent_cents, reserved_cents,
         transaction_count, session_key_address, session_key, created_at, expires_at)
       select 'd' || n, $1, 'erc4337', 'usd', '{}', 1000, 0, 0, 0, '', '', app_now() - interval '23 hours 20 minutes',
         app_now() + interval '40 minutes' from generate_series(1, 5000) n`,
        [first],
      );
      await database.query("set session_replication_role = origin", []);
      await runAlerts(service.ports);
      await fail(service, second);
      for (const account of [first, second.builder.address])
        await database.query("select wake_alerts($1)", [account]);
      await runAlerts(service.ports);
      expect(await alertsOf(second)).toEqual(["error-rate"]);
      const open = "select count(*)::int as n from alerts where account = $1 and closed_at is null";
      expect(await database.query(open, [first])).toEqual([{ n: 15_000 }]);
    }),
  60_000,
);

const breakAlertsOf = (database: Database, account: string) =>
  database.query(
    `alter table alert_accounts add constraint broken check (account <> '${account}' or due_at <> slow_at) not valid`,
    [],
  );

test(
  "accounts that are due before one that cannot be looked at are looked at meanwhile",
  () =>
    inOneRound(async ({ database, service, first, second }) => {
      await breakAlertsOf(database, first);
      await fail(service, second);
      await database.query("select wake_alerts($1)", [second.builder.address]);
      await database.query(
        "update alert_accounts set due_at = due_at - interval '1 minute' where account = $1",
        [second.builder.address],
      );
      await expect(runAlerts(service.ports)).rejects.toThrow("broken");
      expect(await alertsOf(second)).toEqual(["error-rate"]);
    }),
  60_000,
);

test(
  "an account that cannot be looked at waits, and the others are looked at",
  () =>
    inOneRound(async ({ database, service, first, second }) => {
      const { builder, subscriber } = second;
      await breakAlertsOf(database, first);
      await fail(service, second);
      for (const account of [builder.address, subscriber.address])
        await database.query("select wake_alerts($1)", [account]);
      await expect(runAlerts(service.ports)).rejects.toThrow("broken");
      await runAlerts(service.ports);
      expect(await alertsOf(second)).toEqual(["error-rate"]);
    }),
  60_000,
);

test(
  "an account that was put off is not made due by its news, and the news of others is found",
  () =>
    inOneRound(async ({ database, service, first }) => {
      await breakAlertsOf(database, first);
      await expect(runAlerts(service.ports)).rejects.toThrow("broken");
      const other = await service.party();
      for (const account of [first, other.address]) {
        await database.query(
          "insert into event_queue (type, subject, accounts, data, created_at) values ('plan.created', '1', array[$1], '{}', app_now())",
          [account],
        );
      }
      await service.ports.events.sequence();
      await runAlerts(service.ports);
      const due =
        "select due_at <= app_now() as is_due, seen_at > app_now() - interval '1 minute' as is_seen from alert_accounts where account = $1";
      expect(await database.query(due, [first])).toEqual([{ is_due: false, is_seen: true }]);
      expect(await database.query(due, [other.address])).toEqual([
        { is_due: false, is_seen: true },
      ]);
    }),
  60_000,
);
