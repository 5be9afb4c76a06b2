import { getFixedCreditsConfig } from "@turnpike/payments/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { freshId } from "@/lib/server/testing/operation-samples.ts";
import {
  createMarket,
  createTestService,
  type TestParty,
  type TestService,
} from "@/lib/server/testing/test-service.ts";
import { noteServices } from "./note-outside.ts";
import { runAlerts } from "./run-alerts.ts";

const DAY = 86_400;
const CALLS = 40;

describe.each(ruleStores())("what opens no alert, or closes it, on $name", ({ open }) => {
  let database: Database;
  let service: TestService;

  beforeAll(async () => {
    database = await open();
    service = createTestService(database);
  });
  // The rules of the ledger are not asked: these tests write what is measured past it.
  afterAll(() => database.close());

  const change = (sql: string, parameters: unknown[]) => database.query(sql, parameters);
  /** Looks at all kinds of a party's alerts, and answers those of one. */
  const look = async ({ address, payments }: TestParty, kind: string) => {
    await change("select wake_alerts($1)", [address]);
    await service.ports.clock.advance(6);
    while ((await service.ports.events.sequence()) > 0);
    await runAlerts(service.ports);
    const { items } = await payments.alerts.listAlerts({ limit: 100 });
    return items.filter((alert) => alert.kind === kind).toReversed();
  };
  const statesOf = async (party: TestParty, kind: string) =>
    (await look(party, kind)).map(({ status, object = "" }) => `${status} ${object}`);

  test("a delegation of one charge, and one of minutes, is used up without an alert", async () => {
    const party = await service.party();
    const delegate = async (terms: { durationSecs: number; maxTransactions?: number }) => {
      const { delegationId } = await party.payments.delegation.createDelegation({
        provider: "erc4337",
        spendingLimitCents: 1_000n,
        currency: "usd",
        ...terms,
      });
      await change(
        "update delegations set spent_cents = 1000, transaction_count = 1 where delegation_id = $1",
        [delegationId],
      );
      return delegationId;
    };
    const checkout = await delegate({ durationSecs: 7 * DAY, maxTransactions: 1 });
    await delegate({ durationSecs: 600 });
    await change(
      "update delegations set created_at = created_at - interval '6 days' where delegation_id = $1",
      [checkout],
    );
    expect(await statesOf(party, "delegation-used")).toEqual([]);
    const used = await delegate({ durationSecs: 7 * DAY, maxTransactions: 2 });
    expect(new Set(await statesOf(party, "delegation-used"))).toEqual(new Set([`open ${used}`]));
  });

  const REPORTS = `insert into request_reports (request_key, builder, agent_request_id, at, method, path, http_status, money_status, payer)
    select $1 || '/' || $2 || n, $1, $2 || n, app_now() - interval '11 minutes', 'POST', '/ask', 402, $3, $4
    from generate_series(1, ${CALLS}) n`;

  test.each([
    ["declined-rate", "refused"],
    ["unsettled", "delivered-unsettled"],
  ])("%s leaves out what test customers and the service's own tests sent", async (kind, status) => {
    const { builder, subscriber } = await createMarket(service, {
      credits: getFixedCreditsConfig(100n, 1n),
    });
    const report = (prefix: string, payer: string | null) =>
      change(REPORTS, [builder.address, prefix, status, payer]);
    await change("update accounts set test_of = $2 where address = $1", [
      subscriber.address,
      builder.address,
    ]);
    await report("customer", subscriber.address);
    await report("service", null);
    await change(
      `insert into test_calls (builder, method, path, sent_at, answered_at, request_key)
        select builder, method, path, at, at, request_key from request_reports where builder = $1 and payer is null`,
      [builder.address],
    );
    expect(await statesOf(builder, kind)).toEqual([]);
    await report("real", null);
    expect(await statesOf(builder, kind)).toEqual(["open "]);
  });

  test("a test customer's reserved request is no unsettled one either: its report names no payer", async () => {
    const { builder, subscriber, planId, agentId } = await createMarket(service, {
      credits: getFixedCreditsConfig(100n, 1n),
    });
    await change("update accounts set test_of = $2 where address = $1", [
      subscriber.address,
      builder.address,
    ]);
    await change(
      `insert into holds (request_key, builder, agent_request_id, account, plan_id, agent_id, jti, amount, state, scheme, created_at, expires_at)
        values ($1 || '/one', $1, 'one', $2, $3, $4, 'jti', 1, 'held', 'svc:erc4337', app_now(), app_now() + interval '1 hour')`,
      [builder.address, subscriber.address, planId, agentId],
    );
    await change(
      `insert into request_reports (request_key, builder, agent_request_id, at, method, path, http_status, money_status)
        values ($1 || '/one', $1, 'one', app_now() - interval '11 minutes', 'POST', '/ask', 200, 'delivered-unsettled')`,
      [builder.address],
    );
    expect(await statesOf(builder, "unsettled")).toEqual([]);
  });

  test("a card counts while a live delegation charges it and until it expires, with its last day", async () => {
    const party = await service.party();
    const { delegationId } = await party.payments.delegation.createDelegation({
      provider: "erc4337",
      spendingLimitCents: 1_000n,
      durationSecs: 90 * DAY,
      currency: "usd",
    });
    await change("update delegations set payment_method_id = 'pm_1' where delegation_id = $1", [
      delegationId,
    ]);
    await look(party, "card-expiring");
    // Cards expire with their month, at the first instant of the next one.
    const expiresAt = new Date((await service.ports.clock.now()).getTime() + 10 * DAY * 1_000);
    expiresAt.setUTCHours(0, 0, 0, 0);
    const cards = ["pm_1", "pm_2"].map((id) => ({
      id,
      name: "visa 4242",
      expiresAt: expiresAt.toISOString(),
    }));
    await service.ports.alerts.writeCards(party.address, cards);
    const lastDay = new Date(expiresAt.getTime() - 1).toUTCString().slice(5, 16).replace(/^0/, "");
    expect(await look(party, "card-expiring")).toMatchObject([
      { status: "open", object: "pm_1", title: `Card visa 4242 expires on ${lastDay}` },
    ]);
    await party.payments.delegation.revokeDelegation(delegationId);
    expect(await statesOf(party, "card-expiring")).toEqual(["closed pm_1"]);
    await change("update delegations set revoked_at = null where delegation_id = $1", [
      delegationId,
    ]);
    expect(await statesOf(party, "card-expiring")).toEqual(["closed pm_1", "open pm_1"]);
    await service.ports.clock.advance(11 * DAY);
    expect(await statesOf(party, "card-expiring")).toEqual(["closed pm_1", "closed pm_1"]);
  });

  test("what expires is told by its date, whenever the alert is read", async () => {
    const party = await service.party();
    const [key] = await database.query<{ at: Date }>(
      `update api_keys set created_at = app_now() - interval '20 days', expires_at = app_now() + interval '6 days'
        where account = $1 returning expires_at as at`,
      [party.address],
    );
    const [alert] = await look(party, "key-expiring");
    const at = new Date(key?.at ?? 0);
    const day = at.toUTCString().slice(5, 16).replace(/^0/, "");
    expect(alert?.title).toContain(`expires on ${day} ${at.toISOString().slice(11, 16)} UTC`);
  });

  test("a difference stops sales, and neither the chain nor the card processor is called degraded", async () => {
    const { builder } = await createMarket(service, { credits: getFixedCreditsConfig(10n, 1n) });
    const { ports } = service;
    await noteServices({ ...ports, salesStop: () => "a difference" });
    await ports.clock.advance(180);
    expect(await look(builder, "service-degraded")).toMatchObject([
      { object: "sales", title: "Sales are stopped", detail: expect.stringContaining("declined") },
    ]);
    const { ruleId } = await builder.payments.alerts.createAlertRule({
      kind: "service-degraded",
      object: "sales",
      threshold: 5,
    });
    expect(ruleId).toEqual(expect.any(String));
    await noteServices({ ...ports, salesStop: () => null });
    expect(await look(builder, "service-degraded")).toMatchObject([
      { status: "closed", title: "Sales were stopped" },
    ]);
  });

  test("a mail that failed for good counts until the address takes one or is changed", async () => {
    const party = await service.party();
    const address = `${freshId()}@mail.example`;
    const write = (state: string) =>
      change(
        `insert into mails (mail_id, account, kind, ref, recipient, state, attempts, due_at, fence, last_error, created_at, sent_at)
          values ($2, $1, 'alert', $2, $3, $4, 10, app_now(), 0, case when $4 = 'failed' then 'refused' end, app_now(),
            case when $4 = 'sent' then app_now() end)`,
        [party.address, freshId(), address, state],
      );
    const addressIs = (now: string) =>
      change(
        `insert into email_addresses (account, address) values ($1, $2)
          on conflict (account) do update set address = excluded.address`,
        [party.address, now],
      );
    await addressIs(address);
    await write("failed");
    expect(await statesOf(party, "email-failing")).toEqual(["open "]);
    expect(await statesOf(party, "email-failing")).toEqual(["open "]);
    await write("sent");
    expect(await statesOf(party, "email-failing")).toEqual(["closed "]);
    await write("failed");
    expect(await statesOf(party, "email-failing")).toEqual(["closed ", "open "]);
    await addressIs(`other-${address}`);
    expect(await statesOf(party, "email-failing")).toEqual(["closed ", "closed "]);
  });
});
