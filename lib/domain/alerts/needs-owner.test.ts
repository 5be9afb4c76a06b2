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
import type { Mail } from "./alert-ports.ts";
import { alertText } from "./alert-text.ts";
import { BUILT_IN_RULES } from "./built-in-rules.ts";
import { sendMails } from "./send-mails.ts";

const MAIL_AFTER_SECS = 15 * 60;

describe.each(ruleStores())("alerts of what only its owner can fix, on $name", ({ open }) => {
  let database: Database;
  let service: TestService;
  let isListed = true;

  beforeAll(async () => {
    database = await open();
    service = createTestService(database, {
      findDomainProof: async () =>
        isListed ? { kind: "proved", method: "file" } : { kind: "absent", reason: "Not there." },
    });
  });
  afterAll(() => database.close());

  const look = async ({ address, payments }: TestParty, kind: string, rules = BUILT_IN_RULES) => {
    await database.query("select wake_alerts($1)", [address]);
    await service.ports.clock.advance(6);
    while ((await service.ports.events.sequence()) > 0);
    await service.ports.alerts.run(100, rules);
    const { items } = await payments.alerts.listAlerts({ limit: 100 });
    return items.filter((alert) => alert.kind === kind).toReversed();
  };
  const statesOf = async (...given: Parameters<typeof look>) =>
    (await look(...given)).map(({ status }) => status);
  const addEndpoint = async ({ payments }: TestParty) => {
    const url = "https://hooks.example/T0/secret?key=1";
    return (await payments.webhooks.createWebhookEndpoint({ url, events: ["*"] })).endpointId;
  };
  const fail = (endpointId: string) =>
    database.query("select disable_endpoint($1, 'It answered 410.')", [endpointId]);
  const mailsTo = async (party: TestParty, work: (address: string) => Promise<void>) => {
    const address = `${freshId()}@mail.example`;
    await database.query("insert into email_addresses (account, address) values ($1, $2)", [
      party.address,
      address,
    ]);
    await work(address);
    const sent: Mail[] = [];
    const send = async () =>
      void (await sendMails(service.ports, async (mail) => void sent.push(mail)));
    await send();
    expect(sent).toEqual([]);
    await service.ports.clock.advance(MAIL_AFTER_SECS);
    await send();
    return sent.filter(({ to }) => to === address);
  };

  test("an endpoint that the service disabled opens no alert once its owner disables it, and none after a month", async () => {
    const party = await service.party();
    const [endpointId, other] = [await addEndpoint(party), await addEndpoint(party)];
    await fail(endpointId);
    expect(await statesOf(party, "webhook-disabled")).toEqual(["open"]);
    await party.payments.webhooks.updateWebhookEndpoint({ endpointId, status: "disabled" });
    expect(await statesOf(party, "webhook-disabled")).toEqual(["closed"]);
    await fail(other);
    await database.query(
      "update webhook_endpoints set disabled_at = app_now() - interval '400 days' where endpoint_id = $1",
      [other],
    );
    expect(await statesOf(party, "webhook-disabled")).toEqual(["closed"]);
  });

  test("a schedule that pays nothing out opens an alert until its account is active again", async () => {
    const party = await service.party();
    await database.query(
      `insert into payout_accounts (account, processor_account, status, missing, schedule, created_at, updated_at)
       values ($1, 'acct_' || $1, 'restricted', '[]', 'daily', app_now(), app_now())`,
      [party.address],
    );
    const [alert] = await look(party, "payout-failed");
    expect(alert?.title).toBe("Your daily payouts are on hold");
    await database.query("update payout_accounts set status = 'active' where account = $1", [
      party.address,
    ]);
    expect(await statesOf(party, "payout-failed")).toEqual(["closed"]);
    await database.query(
      "update payout_accounts set status = 'restricted', schedule = 'manual' where account = $1",
      [party.address],
    );
    expect(await statesOf(party, "payout-failed")).toEqual(["closed"]);
  });

  test("a rule without a number takes no threshold but 1, with which alone it opens", async () => {
    const { payments } = await service.party();
    for (const kind of ["webhook-disabled", "payout-failed"] as const) {
      const rule = { kind, channels: ["email" as const] };
      await expect(
        payments.alerts.createAlertRule({ ...rule, threshold: 2 }),
      ).rejects.toMatchObject({ code: "invalid_input" });
    }
    const ruleId = "built-in-webhook-disabled-1";
    await expect(payments.alerts.updateAlertRule({ ruleId, threshold: 2 })).rejects.toMatchObject({
      code: "invalid_input",
    });
  });

  test("such a rule that an earlier release wrote with a higher threshold opens at 1 as well", async () => {
    const party = await service.party();
    const { payments } = party;
    const kind = "webhook-disabled";
    const { ruleId } = await payments.alerts.createAlertRule({ kind, threshold: 1 });
    await database.query("update alert_rules set threshold = 3 where rule_id = $1", [ruleId]);
    await fail(await addEndpoint(party));
    expect(await look(party, kind)).toMatchObject([{ status: "open", threshold: 1 }]);
    const { items } = await payments.alerts.listAlertRules();
    expect(items.find((rule) => rule.ruleId === ruleId)).toMatchObject({ threshold: 1 });
  });

  test("such a rule is changed by creating it again, and two of them open one alert", async () => {
    const party = await service.party();
    const { payments } = party;
    const kind = "webhook-disabled";
    const first = await payments.alerts.createAlertRule({ kind, threshold: 1 });
    const raise = "update alert_rules set threshold = 3 where rule_id = $1";
    await database.query(raise, [first.ruleId]);
    const again = { kind, threshold: 1, isOn: false } as const;
    expect(await payments.alerts.createAlertRule(again)).toEqual({ ...first, isOn: false });
    await database.query(raise, [first.ruleId]);
    await database.query(
      `insert into alert_rules (rule_id, account, kind, object, threshold, email, webhook, is_on, created_at)
        values ($2, $1, $3, '', 1, false, false, true, app_now())`,
      [party.address, freshId(), kind],
    );
    await fail(await addEndpoint(party));
    expect(await statesOf(party, kind)).toEqual(["open"]);
    await payments.alerts.updateAlertRule({ ruleId: first.ruleId, isOn: true });
    expect(await statesOf(party, kind)).toEqual(["open"]);
  });

  test("an endpoint that the service disabled: shown, mailed without its URL, and closed once enabled", async () => {
    const party = await service.party();
    const endpointId = await addEndpoint(party);
    expect(await statesOf(party, "webhook-disabled")).toEqual([]);
    const mails = await mailsTo(party, async () => {
      await fail(endpointId);
      const shown = {
        status: "open",
        object: endpointId,
        title: "The webhook endpoint at hooks.example was disabled",
        email: "waiting",
        action: { path: `/settings/webhooks?endpoint=${endpointId}` },
      };
      expect(await look(party, "webhook-disabled")).toMatchObject([shown]);
      expect(await statesOf(party, "webhook-disabled")).toEqual(["open"]);
    });
    expect(mails).toMatchObject([
      {
        subject: "The webhook endpoint at hooks.example was disabled",
        text: expect.stringContaining(`/settings/webhooks?endpoint=${endpointId}`),
      },
    ]);
    expect(mails[0]?.text).toContain("Choose which alerts are emailed");
    expect(mails[0]?.text).not.toContain("secret");
    await party.payments.webhooks.updateWebhookEndpoint({ endpointId, status: "active" });
    expect(await statesOf(party, "webhook-disabled")).toEqual(["closed"]);
  });

  test("an endpoint that its owner disabled opens nothing", async () => {
    const party = await service.party();
    const endpointId = await addEndpoint(party);
    await party.payments.webhooks.updateWebhookEndpoint({ endpointId, status: "disabled" });
    expect(await statesOf(party, "webhook-disabled")).toEqual([]);
  });

  test("a rule of the owner replaces the built-in one, and one for an ID takes those of their own", async () => {
    const party = await service.party();
    const { alerts } = party.payments;
    const [quiet, heard] = [await addEndpoint(party), await addEndpoint(party)];
    const rule = { kind: "webhook-disabled", threshold: 1 } as const;
    const { ruleId } = await alerts.createAlertRule({ ...rule, object: quiet, isOn: false });
    expect(ruleId).toEqual(expect.any(String));
    await fail(quiet);
    await fail(heard);
    const opened = await look(party, "webhook-disabled");
    expect(opened.map(({ object }) => object)).toEqual([heard]);
    const strange = await addEndpoint(await service.party());
    await expect(alerts.createAlertRule({ ...rule, object: strange })).rejects.toMatchObject({
      code: "invalid_input",
    });
    const off = { ruleId: "built-in-webhook-disabled-1", isOn: false };
    expect(await alerts.updateAlertRule(off)).toMatchObject({ channels: ["email"] });
    expect(await statesOf(party, "webhook-disabled")).toEqual(["closed"]);
  });

  test("a lost domain: shown and mailed, and closed once it is proved again or the endpoints left", async () => {
    const { builder, agentId } = await createMarket(service);
    const check = () => builder.market.checkAgentDomain({ agentId });
    isListed = true;
    await check();
    expect(await statesOf(builder, "domain-lost")).toEqual([]);
    const mails = await mailsTo(builder, async () => {
      isListed = false;
      await check();
      expect(await look(builder, "domain-lost")).toMatchObject([
        {
          status: "open",
          object: agentId,
          title: "Reader lost its domain verification",
          email: "waiting",
          action: { path: `/agents/${agentId}/settings#agent-domain` },
        },
      ]);
    });
    expect(mails.map(({ subject }) => subject)).toEqual(["Reader lost its domain verification"]);
    isListed = true;
    await check();
    expect(await statesOf(builder, "domain-lost")).toEqual(["closed"]);
    isListed = false;
    await check();
    expect(await statesOf(builder, "domain-lost")).toEqual(["closed", "open"]);
    const endpoints = [{ POST: "https://elsewhere.example/ask" }];
    await builder.payments.agents.updateAgent(agentId, { agentApiAttributes: { endpoints } });
    expect(await check()).toMatchObject({ state: "not-proved" });
    expect(await statesOf(builder, "domain-lost")).toEqual(["closed", "closed"]);
  });

  test("a replica of a release without these kinds, beside this one, neither closes their alerts nor opens them again", async () => {
    const party = await service.party();
    await fail(await addEndpoint(party));
    const earlier = BUILT_IN_RULES.filter(({ kind }) => kind !== "webhook-disabled").map(
      ({ email: _, ...rule }) => rule as (typeof BUILT_IN_RULES)[number],
    );
    expect(await statesOf(party, "webhook-disabled", earlier)).toEqual([]);
    expect(await statesOf(party, "webhook-disabled")).toEqual(["open"]);
    expect(await statesOf(party, "webhook-disabled", earlier)).toEqual(["open"]);
    expect(await statesOf(party, "webhook-disabled")).toEqual(["open"]);
  });

  test("alerts and rules of a later release's kinds are no failure", async () => {
    const party = await service.party();
    await database.query(
      `insert into alert_rules (rule_id, account, kind, object, threshold, email, webhook, is_on, created_at)
        values ($2, $1, 'later', '', 1, false, false, true, app_now())`,
      [party.address, freshId()],
    );
    await database.query(
      `insert into alerts (alert_id, account, rule_id, kind, object, measure, name, value, threshold, email, webhook, created_at)
        values ($2, $1, 'r', 'later', '', '', 'Tariffs', '1', 1, false, false, app_now())`,
      [party.address, freshId()],
    );
    const { ports } = service;
    await ports.alerts.run(100, BUILT_IN_RULES);
    const { items: alerts } = await ports.alerts.list(party.address, { limit: 10 });
    expect(alerts.map((alert) => [alertText(alert).title, alert.closedAt])).toEqual([
      ["Alert: Tariffs", null],
    ]);
    const { items } = await party.payments.alerts.listAlertRules();
    expect(items.every(({ isBuiltIn }) => isBuiltIn)).toBe(true);
  });
});
