import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { LEASE_SECS } from "@/lib/domain/permissions/lease.ts";
import { freshId } from "@/lib/server/testing/operation-samples.ts";
import { createPermissionCalls } from "@/lib/server/testing/permission-calls.ts";
import {
  createMarket,
  createTestService,
  type TestService,
} from "@/lib/server/testing/test-service.ts";
import { createMails } from "../alerts/mails.ts";
import type { Database } from "../client.ts";
import { createFigures } from "../figures/figures.ts";
import { deleteOld } from "../figures/retention.ts";
import { openRuleStore } from "../testing/stores.ts";

let database: Database;
let service: TestService;
const run = <Row>(text: string, ...parameters: unknown[]) => database.query<Row>(text, parameters);

beforeAll(async () => {
  database = await openRuleStore();
  service = createTestService(database);
});
afterAll(() => database.close());

const balanceOf = async (account: string) =>
  (await run("select available, held from balances where account = $1", account))[0];

/** A market whose subscriber has a credit reserved. */
async function reserved() {
  const market = await createMarket(service);
  const agentRequestId = freshId();
  await createPermissionCalls(service, market).verify({ agentRequestId, reserve: true });
  return { ...market, key: `${market.builder.address}/${agentRequestId}` };
}

test("thousands of holds that cannot be expired keep no other one", async () => {
  const bad = await reserved();
  await run(
    `insert into holds select (jsonb_populate_record(h, jsonb_build_object('request_key', h.request_key || n,
       'agent_request_id', h.agent_request_id || n))).* from holds h, generate_series(1, 600) n where h.request_key = $1`,
    bad.key,
  );
  const other = await reserved();
  await service.ports.clock.advance(LEASE_SECS + 1);
  const states = () =>
    run("select state from holds where request_key = any($1) order by created_at", [
      bad.key,
      other.key,
    ]);
  await service.ports.ledger.sweep();
  expect(await states()).toMatchObject([{}, { state: "expired" }]);
  await run("delete from holds where request_key like $1 and state = 'held'", `${bad.key}%`);
});

test("a balance that cannot expire keeps no other one, and no debt", async () => {
  const [bad, other] = [await reserved(), await reserved()];
  const [first, second] = [bad.subscriber.address, other.subscriber.address].sort();
  await run(
    `alter table balances add constraint broken check (account <> '${first}' or available > 0) not valid`,
  );
  for (const account of [first, second])
    await run(
      "update balances set expires_at = app_now() - interval '1 second' where account = $1",
      account,
    );
  await service.ports.ledger.sweep();
  expect(await balanceOf(second ?? "")).toMatchObject({ available: 0n });
  await run("alter table balances drop constraint broken");
});

test.each([
  [
    "that cannot expire",
    "expires_at = app_now() - interval '1 hour' * (1 + (account like '0x0bad%')::int)",
    "available > 0",
  ],
  ["whose debt cannot be repaid", "debt = 1", "debt > 0"],
])("hundreds of balances %s keep no other one", async (_, sets, stays) => {
  const [bad, other] = [await reserved(), await reserved()];
  const copy = (table: string, column: string) =>
    run(
      `insert into ${table} select (jsonb_populate_record(x, jsonb_build_object('${column}', '0x0bad' || n))).*
       from ${table} x, generate_series(1, 600) n where ${column} = $1`,
      bad.subscriber.address,
    );
  await copy("accounts", "address");
  await copy("balances", "account");
  await run(
    `alter table balances add constraint broken check (account not like '0x0bad%' or ${stays}) not valid`,
  );
  await run(
    `update balances set ${sets} where account like '0x0bad%' or account = $1`,
    other.subscriber.address,
  );
  for (let round = 0; round < 8; round += 1) await service.ports.ledger.sweep();
  const [left] = await run<{ n: number }>(
    `select count(*)::int as n from balances where account = $1 and ${stays}`,
    other.subscriber.address,
  );
  expect(left).toEqual({ n: 0 });
  await run("alter table balances drop constraint broken");
  await run("delete from balances where account like '0x0bad%'");
  await run("delete from accounts where address like '0x0bad%'");
});

test("a sweep that fails keeps no other sweep", async () => {
  const { subscriber } = await reserved();
  await run(
    "update balances set expires_at = app_now() - interval '1 second' where account = $1",
    subscriber.address,
  );
  await run("alter function sweep_holds rename to sweep_holds_away");
  await expect(service.ports.ledger.sweep()).rejects.toThrow("sweep_holds");
  await run("alter function sweep_holds_away rename to sweep_holds");
  expect(await balanceOf(subscriber.address)).toMatchObject({ available: 0n });
});

const WAITING = `insert into mails (mail_id, account, kind, ref, recipient, state, attempts, due_at, fence, created_at)
  select $2 || n, $1, 'alert', $2 || n, 'a@b', $3, 0, app_now() - interval '100 days', 0, app_now() - interval '100 days' from generate_series(1, $4::int) n`;

test("reports that can't be deleted keep no mails", async () => {
  const { address } = await service.party();
  await run(WAITING, address, "old", "sent", 3);
  await run("alter function delete_old_reports rename to reports_away");
  const days = { reports: 30, deliveries: 90, mails: 90, events: 0 };
  await expect(deleteOld(database, days)).rejects.toThrow("delete_old_reports");
  await run("alter function reports_away rename to delete_old_reports");
  expect(await run("select 1 from mails where account = $1", address)).toEqual([]);
});

test("an account with thousands of mails delays no other account's", async () => {
  const [many, one] = [await service.party(), await service.party()];
  await run(WAITING, many.address, "many", "waiting", 5_000);
  await run(WAITING, one.address, "one", "waiting", 1);
  const leased = await createMails(database).lease(10, 60);
  expect(leased.map(({ account }) => account)).toContain(one.address);
  expect(leased).toHaveLength(10);
});

test("an account whose earlier days can't be summed stops neither the sums nor the days of others", async () => {
  const { sumRequests } = createFigures(database);
  const [bad, good] = [(await service.party()).address, (await service.party()).address];
  await run(
    `alter table summed_accounts add constraint broken check (account <> '${bad}' or coalesce(covered_from, 'infinity') = 'infinity') not valid`,
  );
  const report = `insert into request_reports (request_key, builder, agent_request_id, at, method, path, http_status, money_status)
    values ($1 || $2, $1, $2, app_now(), 'POST', '/', 402, 'challenged')`;
  const isCovered = async () =>
    (
      await run(
        "select 1 from summed_accounts where account = $1 and covered_from < 'infinity' and unpaid_from < 'infinity'",
        good,
      )
    ).length > 0;
  const clock = vi.spyOn(performance, "now");
  for (const account of [bad, good]) await run(report, account, "/1");
  for (let minute = 1; minute < 300 && !(await isCovered()); minute += 1) {
    clock.mockReturnValue(minute * 61_000);
    await sumRequests(1).catch((cause) => expect(String(cause)).toContain("broken"));
  }
  clock.mockRestore();
  expect(await isCovered()).toBe(true);
  expect(await run("select 1 from request_changes")).toEqual([]);
  await run("alter table summed_accounts drop constraint broken");
});

test("days that fail each time are tried less and less often", async () => {
  let tries = 0;
  const query = async (text: string) => {
    if (!text.includes("cover_sums")) return [{ more: false }];
    tries += 1;
    throw new Error("canceling statement due to statement timeout");
  };
  const { sumRequests } = createFigures({ query } as unknown as Database);
  const clock = vi.spyOn(performance, "now");
  for (let minute = 1; minute <= 600; minute += 1) {
    clock.mockReturnValue(minute * 61_000);
    await sumRequests().catch(() => 0);
  }
  clock.mockRestore();
  // Each holds the lock of the sums, of all replicas, for as long as a statement may take.
  expect(tries).toBeLessThan(100);
});

test("an account whose sums are behind keeps its own reports, and no one else's", async () => {
  const [behind, other] = [(await service.party()).address, (await service.party()).address];
  await run(
    `insert into request_reports (request_key, builder, agent_request_id, at, method, path, http_status, money_status, payer)
     select b || '/' || p, b, p, app_now() - interval '200 days', 'POST', '/', 402, 'refused', p from unnest($1::text[]) b, unnest($1::text[]) p`,
    [behind, other],
  );
  // Who paid for a delivered request is known by its reservation only.
  await run(
    "update request_reports set payer = null, money_status = 'unknown' where request_key = $1",
    `${other}/${behind}`,
  );
  await run(
    `insert into holds (request_key, builder, agent_request_id, account, plan_id, jti, amount, state, scheme, created_at, expires_at, resolved_at)
     values ($2 || '/' || $1, $2, $1, $1, '1', 'jti', 3, 'expired', '', now(), now(), now())`,
    behind,
    other,
  );
  await run(
    "insert into summed_accounts (account, role, seen, covered_from) values ($1, 'subscriber', 1, 'infinity')",
    behind,
  );
  await deleteOld(database, { reports: 30, deliveries: 0, mails: 0, events: 0 });
  const left = await run<{ key: string }>(
    "select request_key as key from request_reports where builder = any($1) order by 1",
    [behind, other],
  );
  expect(left.map(({ key }) => key)).toEqual(
    [`${behind}/${behind}`, `${behind}/${other}`, `${other}/${behind}`].sort(),
  );
  await run("delete from summed_accounts where account = $1", behind);
});
