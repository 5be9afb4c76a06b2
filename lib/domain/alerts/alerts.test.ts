import { getFixedCreditsConfig } from "@turnpike/payments/protocol";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { freshId } from "@/lib/server/testing/operation-samples.ts";
import { createPermissionCalls } from "@/lib/server/testing/permission-calls.ts";
import {
  createMarket,
  createTestService,
  type TestParty,
  type TestService,
} from "@/lib/server/testing/test-service.ts";
import { inFull } from "@/lib/testing/in-full.ts";
import { BUILT_IN_RULES } from "./built-in-rules.ts";
import { runAlerts } from "./run-alerts.ts";

const CROWD = inFull(300, 40);
const DAY = 86_400;

describe.each(ruleStores())("alerts on $name", { timeout: inFull(240_000, 30_000) }, ({ open }) => {
  let database: Database;
  let service: TestService;

  beforeAll(async () => {
    database = await open();
    service = createTestService(database);
  });
  // The rules of the ledger are not asked: these tests write what is measured past it.
  afterAll(() => database.close());

  const run = async (...replicas: TestService[]) => {
    const { ports } = service;
    // Busy accounts are looked at every few seconds.
    await ports.clock.advance(6);
    while ((await ports.events.sequence()) > 0);
    await Promise.all([service, ...replicas].map(({ ports }) => runAlerts(ports)));
  };
  /** All kinds, whatever was looked at just before. */
  const runAll = async ({ address }: TestParty) => {
    await database.query("select wake_alerts($1)", [address]);
    await run();
  };
  const alertsOf = async ({ payments }: TestParty, kind: string) => {
    const { items } = await payments.alerts.listAlerts({ limit: 100 });
    return items.filter((alert) => alert.kind === kind).toReversed();
  };
  const statesOf = async (party: TestParty, kind: string) =>
    (await alertsOf(party, kind)).map(({ status, value }) => `${status} ${value}`);
  const eventsOf = async ({ address }: TestParty) => {
    while ((await service.ports.events.sequence()) > 0);
    const events = await service.ports.events.list(address, 0, 1_000);
    return events.filter(({ type }) => type.startsWith("alert.")).map(({ type }) => type);
  };
  const change = (sql: string, parameters: unknown[]) => database.query(sql, parameters);

  async function seller(credits: bigint) {
    const market = await createMarket(service, {
      credits: getFixedCreditsConfig(credits, 1n),
    });
    const { settle } = createPermissionCalls(service, market);
    const pay = (n: number) =>
      Promise.all(Array.from({ length: n }, () => settle({ agentRequestId: freshId() })));
    const order = () => market.subscriber.payments.plans.orderPlan(market.planId);
    return { ...market, pay, order };
  }

  test("credits below a line: crossed, hovering, crossed back and crossed again is one alert per crossing", async () => {
    const { subscriber, planId, pay, order } = await seller(25n);
    const { ruleId } = await subscriber.payments.alerts.createAlertRule({
      kind: "credits-below",
      threshold: 20,
    });
    await pay(5);
    await run();
    expect(await statesOf(subscriber, "credits-below")).toEqual([]);
    await pay(1);
    await run();
    expect(await alertsOf(subscriber, "credits-below")).toMatchObject([
      {
        ruleId,
        status: "open",
        value: "19",
        threshold: 20,
        object: planId,
        action: { label: "Order credits", path: `/subscriptions/${planId}` },
      },
    ]);
    for (const credits of [20, 19, 21, 18]) {
      await change("update balances set available = $3 where account = $1 and plan_id = $2", [
        subscriber.address,
        planId,
        credits,
      ]);
      await runAll(subscriber);
    }
    expect(await statesOf(subscriber, "credits-below")).toEqual(["open 19"]);
    await change("update balances set available = 19 where account = $1", [subscriber.address]);
    await order();
    await run();
    expect(await statesOf(subscriber, "credits-below")).toEqual(["closed 19"]);
    await pay(30);
    await run();
    expect(await statesOf(subscriber, "credits-below")).toEqual(["closed 19", "open 14"]);
    expect(await eventsOf(subscriber)).toEqual(["alert.opened", "alert.closed", "alert.opened"]);
  });

  test("an account whose calls never pause is looked at every few seconds", async () => {
    const { subscriber, pay } = await seller(25n);
    const dueIn = async () => {
      const [row] = await database.query<{ secs: number }>(
        "select extract(epoch from due_at - app_now())::float8 as secs from alert_accounts where account = $1",
        [subscriber.address],
      );
      return row?.secs ?? Number.NaN;
    };
    await pay(1);
    await run();
    await pay(1);
    while ((await service.ports.events.sequence()) > 0);
    await runAlerts(service.ports);
    const first = await dueIn();
    expect(first).toBeGreaterThan(4);
    expect(first).toBeLessThanOrEqual(5);
    await pay(1);
    while ((await service.ports.events.sequence()) > 0);
    await runAlerts(service.ports);
    expect(await dueIn()).toBeLessThanOrEqual(first);
  });

  test(`${CROWD} calls at once across the line, with two evaluators, are one alert and one event`, async () => {
    const { subscriber, pay } = await seller(BigInt(CROWD + 10));
    await subscriber.payments.alerts.createAlertRule({ kind: "credits-below", threshold: 20 });
    const replica = createTestService(database);
    await Promise.all([pay(CROWD), run(replica), run(replica)]);
    for (let round = 0; round < 3; round += 1) await run(replica, replica);
    expect(await statesOf(subscriber, "credits-below")).toHaveLength(1);
    expect(await eventsOf(subscriber)).toEqual(["alert.opened"]);
  });

  test("two evaluators of one account at once open one alert and close it once", async () => {
    const { subscriber } = await seller(5n);
    const replica = createTestService(database);
    for (const available of [1, 100, 1, 100]) {
      await change("update balances set available = $2 where account = $1", [
        subscriber.address,
        available,
      ]);
      const rules = JSON.stringify(BUILT_IN_RULES);
      await Promise.all(
        Array.from({ length: 6 }, (_, n) =>
          (n % 2 ? service : replica).database.query("select evaluate_alerts($1, $2, true)", [
            subscriber.address,
            rules,
          ]),
        ),
      );
    }
    expect(await statesOf(subscriber, "credits-below")).toEqual(["closed 1", "closed 1"]);
  });

  test("built-in rules alert in the app only, without events, and mail what only its owner can fix", async () => {
    const { subscriber, pay } = await seller(10n);
    await pay(3);
    await run();
    expect(await statesOf(subscriber, "credits-below")).toEqual(["open 7"]);
    expect(await eventsOf(subscriber)).toEqual([]);
    const { items } = await subscriber.payments.alerts.listAlertRules();
    expect(items.every(({ isBuiltIn }) => isBuiltIn)).toBe(true);
    expect(
      items
        .filter(({ channels }) => channels.length > 0)
        .map(({ kind, channels }) => [kind, channels]),
    ).toEqual([
      ["webhook-disabled", ["email"]],
      ["domain-lost", ["email"]],
      ["renewal-failing", ["email"]],
    ]);
  });

  test("an account has at most a hundred rules, however many are added at once", async () => {
    const { alerts } = (await service.party()).payments;
    const add = (threshold: number) => alerts.createAlertRule({ kind: "credits-below", threshold });
    for (let n = 1; n <= 97; n += 1) await add(n);
    const added = await Promise.allSettled([101, 102, 103, 104, 105, 106].map(add));
    expect(added.filter(({ status }) => status === "fulfilled")).toHaveLength(3);
    const refused = { code: "conflict", message: "An account has at most 100 alert rules." };
    await expect(add(107)).rejects.toMatchObject(refused);
    const [builtIn] = BUILT_IN_RULES.filter(({ kind }) => kind !== "credits-below");
    const ruleId = builtIn?.ruleId ?? "";
    await expect(alerts.updateAlertRule({ ruleId, isOn: false })).rejects.toMatchObject(refused);
    const { items } = await alerts.listAlertRules();
    expect(items.filter(({ kind }) => kind === "credits-below")).toHaveLength(100);
    await alerts.createAlertRule({ kind: "credits-below", threshold: 1, isOn: false });
  });

  test("a rule of one's own replaces the built-in ones of its kind, one for an object those for all", async () => {
    const { subscriber, planId } = await seller(15n);
    const { alerts } = subscriber.payments;
    await runAll(subscriber);
    expect(await statesOf(subscriber, "credits-below")).toEqual([]);
    const all = await alerts.createAlertRule({ kind: "credits-below", threshold: 16 });
    const again = await alerts.createAlertRule({
      kind: "credits-below",
      threshold: 16,
      channels: [],
    });
    expect(again).toEqual({ ...all, channels: [] });
    await run();
    expect(await alertsOf(subscriber, "credits-below")).toMatchObject([{ ruleId: all.ruleId }]);
    const own = { kind: "credits-below" as const, object: planId, threshold: 5 };
    const { ruleId } = await alerts.createAlertRule(own);
    await run();
    expect(await statesOf(subscriber, "credits-below")).toEqual(["closed 15"]);
    await alerts.deleteAlertRule(ruleId);
    await run();
    expect(await statesOf(subscriber, "credits-below")).toEqual(["closed 15", "open 15"]);
    await alerts.updateAlertRule({ ruleId: all.ruleId, isOn: false });
    await run();
    expect(await statesOf(subscriber, "credits-below")).toEqual(["closed 15", "closed 15"]);
    const missing = alerts.updateAlertRule({ ruleId: "another's", threshold: 5 });
    await expect(missing).rejects.toMatchObject({ code: "not_found" });
  });

  test("changes of a rule's threshold, channels and switch at once all remain", async () => {
    const { payments } = await service.party();
    const rule = await payments.alerts.createAlertRule({ kind: "credits-below", threshold: 20 });
    const { ruleId } = rule;
    const { listRules } = service.ports.alerts;
    vi.spyOn(service.ports.alerts, "listRules").mockImplementationOnce(async (account) => {
      const read = await listRules(account);
      await payments.alerts.updateAlertRule({ ruleId, isOn: false });
      await payments.alerts.updateAlertRule({ ruleId, channels: ["webhook"] });
      return read;
    });
    const changed = { ruleId, threshold: 30, isOn: false, channels: ["webhook"] };
    expect(await payments.alerts.updateAlertRule({ ruleId, threshold: 30 })).toMatchObject(changed);
    const { items } = await payments.alerts.listAlertRules();
    expect(items).toContainEqual(expect.objectContaining(changed));
  });

  test("changes of a built-in rule at once all remain, as do those of a page that was read before", async () => {
    const { payments } = await service.party();
    const { updateAlertRule } = payments.alerts;
    const ruleId = "built-in-delegation-used-80";
    const { listRules } = service.ports.alerts;
    vi.spyOn(service.ports.alerts, "listRules").mockImplementationOnce(async (account) => {
      const read = await listRules(account);
      await updateAlertRule({ ruleId, isOn: false });
      return read;
    });
    const changed = { threshold: 80, isOn: false, channels: ["webhook"] };
    const mine = await updateAlertRule({ ruleId, channels: ["webhook"] });
    expect(mine).toMatchObject(changed);
    expect(await updateAlertRule({ ruleId, isOn: false })).toEqual(mine);
    expect(await updateAlertRule({ ruleId, threshold: 70 })).toEqual({ ...mine, threshold: 70 });
    // No rule is as that page has it.
    await expect(updateAlertRule({ ruleId, isOn: true })).rejects.toMatchObject({
      code: "not_found",
    });
    const { items } = await payments.alerts.listAlertRules();
    const used = items.filter(({ kind }) => kind === "delegation-used");
    expect(used.map(({ threshold }) => threshold)).toEqual([50, 70, 95]);
  });

  test("a rule for an ID that nothing of the account has is refused", async () => {
    const { subscriber, planId } = await seller(15n);
    const { alerts } = subscriber.payments;
    const other = await service.party();
    const { delegationId } = await other.payments.delegation.createDelegation({
      provider: "erc4337",
      spendingLimitCents: 1_000n,
      durationSecs: DAY,
      currency: "usd",
    });
    for (const [kind, object] of [
      ["credits-below", "12345"],
      ["delegation-used", "12345"],
      ["delegation-used", delegationId],
      ["token-expiring", "12345"],
      ["key-expiring", "12345"],
      ["doctor-failing", "12345"],
      ["service-degraded", "mail"],
      ["payout-failed", "12345"],
    ] as const) {
      await expect(
        alerts.createAlertRule({ kind, object, threshold: 2 }),
        `${kind} ${object}`,
      ).rejects.toMatchObject({ code: "invalid_input", details: [{ path: "object" }] });
    }
    const rule = await alerts.createAlertRule({
      kind: "credits-days",
      object: planId,
      threshold: 2,
    });
    expect(rule.object).toBe(planId);
  });

  test("a delegation at 50, 80 and 95 % of money, charges and time: each line once", async () => {
    const subscriber = await service.party();
    const { delegationId } = await subscriber.payments.delegation.createDelegation({
      provider: "erc4337",
      spendingLimitCents: 1_000n,
      durationSecs: 10 * DAY,
      currency: "usd",
      maxTransactions: 100,
      name: "Research bot",
    });
    const use = async (cents: number, charges: number, days: number) => {
      await change(
        `update delegations set spent_cents = $2, transaction_count = $3, created_at = app_now() - make_interval(days => $4),
          expires_at = app_now() - make_interval(days => $4) + interval '10 days' where delegation_id = $1`,
        [delegationId, cents, charges, days],
      );
      await runAll(subscriber);
      return (await alertsOf(subscriber, "delegation-used")).length;
    };
    expect(await use(499, 49, 4)).toBe(0);
    expect(await use(500, 49, 4)).toBe(1);
    expect(await use(480, 49, 4)).toBe(1);
    expect(await use(960, 49, 4)).toBe(3);
    expect(await use(960, 80, 4)).toBe(5);
    expect(await use(960, 80, 9)).toBe(7);
    const titles = (await alertsOf(subscriber, "delegation-used")).map(({ title }) => title);
    expect(titles).toContain("Research bot used 96% of its money");
    await subscriber.payments.delegation.revokeDelegation(delegationId);
    await run();
    const alerts = await alertsOf(subscriber, "delegation-used");
    expect(alerts.filter(({ status }) => status === "open")).toEqual([]);
  });

  /** What makes a value cross, and what ends it, by kind. */
  const OTHERS: [string, string, string][] = [
    [
      "payout-failed",
      `insert into payouts (payout_id, account, processor_account, currency, amount, state, created_at, updated_at)
        values ($1 || 'p', $1, 'acct', 'usd', 5, 'failed', app_now(), app_now())`,
      `insert into payouts (payout_id, account, processor_account, currency, amount, state, created_at, updated_at)
        values ($1 || 'q', $1, 'acct', 'usd', 5, 'paid', app_now() + interval '1 second', app_now())`,
    ],
    [
      "unsettled",
      `insert into request_reports (request_key, builder, agent_request_id, at, method, path, http_status, money_status)
        select $1 || '/' || n, $1, 'request-' || n, app_now() - interval '11 minutes', 'POST', '/ask', 200, 'delivered-unsettled' from generate_series(1, 300) n`,
      "update request_reports set money_status = 'not-charged' where builder = $1",
    ],
    [
      "error-rate",
      `insert into request_reports (request_key, builder, agent_request_id, at, method, path, http_status, money_status)
        select $1 || '/' || n, $1, 'request-' || n, app_now(), 'POST', '/ask', 500, 'not-charged' from generate_series(1, 300) n`,
      "update request_reports set at = app_now() - interval '16 minutes' where builder = $1",
    ],
    [
      "declined-rate",
      `insert into request_reports (request_key, builder, agent_request_id, at, method, path, http_status, money_status)
        select $1 || '/' || n, $1, 'request-' || n, app_now(), 'POST', '/ask', 402, 'refused' from generate_series(1, 300) n`,
      "update request_reports set at = app_now() - interval '16 minutes' where builder = $1",
    ],
    [
      "key-expiring",
      "update api_keys set created_at = app_now() - interval '20 days', expires_at = app_now() + interval '6 days' where account = $1",
      "update api_keys set expires_at = app_now() + interval '90 days' where account = $1",
    ],
    [
      "card-expiring",
      `with charging as (insert into delegations (delegation_id, account, provider, currency, spending_limit_cents, spent_cents, reserved_cents,
          transaction_count, payment_method_id, plan_ids, session_key_address, session_key, created_at, expires_at)
        values ($1, $1, 'card-processor', 'usd', 1, 0, 0, 0, 'pm_1', '{}', $1, '', app_now(), app_now() + interval '90 days'))
      update alert_accounts set cards = jsonb_build_array(jsonb_build_object('id', 'pm_1', 'name', 'visa 4242', 'expiresAt', app_now() + interval '13 days')) where account = $1`,
      "update alert_accounts set cards = '[]' where account = $1",
    ],
    [
      "email-failing",
      `insert into mails (mail_id, account, kind, ref, recipient, state, attempts, due_at, fence, last_error, created_at)
        values ($1 || 'm', $1, 'alert', $1, 'a@b.example', 'waiting', 4, app_now() + interval '1 day', 0, 'refused', app_now())`,
      "update mails set state = 'sent' where account = $1",
    ],
  ];

  test.each(OTHERS)(
    "%s opens once while it lasts and closes when it is over",
    async (kind, begin, end) => {
      const party = await service.party();
      const states = async () => (await alertsOf(party, kind)).map(({ status }) => status);
      await runAll(party);
      await change(begin, [party.address]);
      for (let look = 0; look < 3; look += 1) await runAll(party);
      expect(await states()).toEqual(["open"]);
      await change(end, [party.address]);
      for (let look = 0; look < 3; look += 1) await runAll(party);
      expect(await states()).toEqual(["closed"]);
    },
  );

  test("tokens, doctor runs and degraded services are watched too, and words say what to do", async () => {
    const { builder, subscriber, agentId } = await seller(1_000n);
    await change(
      "update tokens set issued_at = app_now() - interval '20 days', expires_at = app_now() + interval '2 days' where account = $1",
      [subscriber.address],
    );
    await service.ports.agents.setDoctorRun(agentId, { at: "2026-01-01", passed: 6, checks: 8 });
    await service.ports.alerts.noteService("chain", true);
    await change("update troubled_services set since = app_now() - interval '3 minutes'", []);
    await runAll(subscriber);
    await runAll(builder);
    expect(await alertsOf(subscriber, "token-expiring")).toMatchObject([{ value: "1.9" }]);
    expect(await alertsOf(builder, "doctor-failing")).toMatchObject([
      { value: "2", action: { path: `/agents/${agentId}` } },
    ]);
    expect(await alertsOf(builder, "service-degraded")).toMatchObject([
      { title: "The blockchain is degraded", status: "open" },
    ]);
    await service.ports.alerts.noteService("chain", false);
    await runAll(builder);
    expect(await alertsOf(builder, "service-degraded")).toMatchObject([{ status: "closed" }]);
  });

  test("credits that last less than two days at the rate of the last week", async () => {
    const { subscriber, pay, planId } = await seller(50n);
    await pay(20);
    await change("update balances set available = 30 where account = $1", [subscriber.address]);
    await runAll(subscriber);
    expect(await alertsOf(subscriber, "credits-days")).toMatchObject([
      { status: "open", value: "1.5", object: planId },
    ]);
  });
});
