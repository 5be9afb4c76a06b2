import {
  getExpirableDurationConfig,
  getFiatPriceConfig,
  getFixedCreditsConfig,
  PlanRedemptionType,
  setRedemptionType,
} from "@turnpike/payments/protocol";
import { describe, expect, test } from "vitest";
import {
  type CardShop,
  mintToken,
  openCardShop,
  requirementOf,
  settleCard,
} from "@/lib/adapters/cards/testing/card-shop.ts";
import { useCardService } from "@/lib/adapters/cards/testing/use-card-service.ts";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { createApiKey } from "@/lib/domain/accounts/api-keys.ts";
import { resolveRenewals } from "@/lib/domain/money/resolve-renewals.ts";
import { runStatements, statementsUnder } from "../testing/page-statements.ts";

const PAGE = "docs/account-requests.md";
const DAY = 86_400;
const MONTH = 30 * DAY;

/** What only the builder wrote. */
const TEXTS = {
  name: "Lovelace’s answers",
  description: "By Ada Lovelace",
  author: "Ada Lovelace",
  sampleLink: "https://lovelace.example/sample",
  tags: ["lovelace"],
};
const ENDPOINT = "https://lovelace.example/ask";

describe.each(ruleStores())(
  "the statements that stop and delete a builder, on $name",
  ({ open }) => {
    const at = useCardService(open);

    const run = (heading: string, { builder }: CardShop, which = 0) => {
      const sql = statementsUnder(PAGE, heading)[which] ?? "";
      return runStatements(at.database, sql, { account: builder.address });
    };
    const stop = (shop: CardShop) => run("## Stop an account", shop);
    const undo = (shop: CardShop) => run("## Stop an account", shop, 1);

    type Business = CardShop & { token: string; timePlanId: string; requestId: string };
    /** A builder whose subscriber has credits, a settled call and a renewal, and who is paid out daily. */
    async function openBusiness(): Promise<Business> {
      const shop = await openCardShop(at.service);
      const { builder, subscriber, planId, agentId, card } = shop;
      await builder.payments.plans.updatePlan(planId, {
        metadataAttributes: { ...TEXTS, refundUnusedDays: 14 },
      });
      await builder.payments.agents.updateAgent(agentId, {
        metadataAttributes: TEXTS,
        agentApiAttributes: {
          endpoints: [{ POST: ENDPOINT }],
          openEndpoints: ["https://lovelace.example/free"],
          agentDefinitionUrl: "https://lovelace.example/openapi.json",
          authType: "BEARER",
          token: "secret",
        },
      });
      const { planId: timePlanId } = await builder.payments.plans.registerTimePlan(
        TEXTS,
        getFiatPriceConfig(5_000_000n, builder.address, "USD"),
        getExpirableDurationConfig(BigInt(MONTH)),
      );
      const { accessToken: token } = await mintToken(shop);
      const { agentRequestId: requestId = "" } = await settleCard(at.service, shop, token);
      await subscriber.payments.plans.orderPlan(timePlanId, { providerPaymentMethodId: card });
      const { delegationId } = await subscriber.payments.delegation.createDelegation({
        provider: "card-processor",
        providerPaymentMethodId: card,
        spendingLimitCents: 5_000n,
        durationSecs: 365 * DAY,
        currency: "usd",
        planIds: [timePlanId],
      });
      await subscriber.payments.money.setRenewal({ planId: timePlanId, isOn: true, delegationId });
      await builder.payments.webhooks.createWebhookEndpoint({
        url: "https://lovelace.example/hook",
        events: ["*"],
      });
      await at.database.query(
        `insert into alerts (alert_id, account, rule_id, kind, object, measure, name, value, threshold, email, webhook, created_at)
       values ($1, $2, 'unsettled', 'unsettled', $1, '', $3, '1', 1, false, false, app_now())`,
        [agentId, builder.address, TEXTS.name],
      );
      await at.database.query(
        `insert into payout_accounts (account, processor_account, status, missing, schedule, next_payout_at, created_at, updated_at)
       values ($1, 'acct_ada', 'active', '[]', 'daily', app_now() + interval '1 day', app_now(), app_now())`,
        [builder.address],
      );
      return { ...shop, token, timePlanId, requestId };
    }

    /** The shop with another subscriber, who has a card and ordered nothing. */
    async function withOther(shop: CardShop): Promise<CardShop> {
      const subscriber = await at.service.party();
      const { paymentMethods } = subscriber.payments;
      const { paymentMethodId } = await paymentMethods.addPaymentMethod({
        testCard: "pm_card_visa",
      });
      return { ...shop, subscriber, card: paymentMethodId ?? "" };
    }

    test("no one can order a stopped builder's plans, whose credits are usable again once the stop is undone", async () => {
      const shop = await openBusiness();
      const other = await withOther(shop);
      const minted = await mintToken(other);
      await stop(shop);
      for (const { subscriber, card } of [other, shop]) {
        for (const planId of [shop.planId, shop.timePlanId]) {
          const order = subscriber.payments.plans.orderPlan(planId, {
            providerPaymentMethodId: card,
          });
          await expect(order).rejects.toMatchObject({
            code: "conflict",
            message: expect.stringContaining("archived"),
          });
        }
      }
      const { plans } = shop.subscriber.payments;
      expect(await plans.getPlan(shop.planId)).toMatchObject({ archivedAt: expect.any(String) });
      expect((await plans.getPlanAgents(shop.planId)).items).toEqual([]);
      await undo(shop);
      // Its owner signs in again, with a new key for the gate.
      const { apiKey } = await createApiKey(shop.builder.context, { name: "again" });
      const again = { ...shop, builder: { ...shop.builder, apiKey } };
      expect(await settleCard(at.service, again, minted.accessToken)).toMatchObject({
        success: false,
        errorReason: "insufficient_balance",
      });
      expect(await settleCard(at.service, again, shop.token)).toMatchObject({ success: true });
      expect(await at.balanceOf(shop)).toMatchObject({ balance: 98n });
    });

    test("an account that redeems a stopped builder's plan charges its subscribers again once the stop is undone", async () => {
      const credits = setRedemptionType(
        getFixedCreditsConfig(100n, 5n),
        PlanRedemptionType.ONLY_PLAN_ROLE,
      );
      const shop = await openCardShop(at.service, { credits });
      const { builder, planId } = shop;
      const member = await at.service.party();
      await builder.payments.plans.updatePlan(planId, { redeemers: [member.address] });
      const { accessToken } = await mintToken(shop);
      const settle = () => settleCard(at.service, { ...shop, builder: member }, accessToken);
      expect(await settle()).toMatchObject({ success: true });
      const { facilitator, requests } = member.payments;
      const agentRequestId = `held-${planId}`;
      await facilitator.verifyPermissions({
        paymentRequired: requirementOf(shop),
        x402AccessToken: accessToken,
        agentRequestId,
        reserve: true,
      });
      await stop(shop);
      const refused = { success: false, errorReason: "invalid_plan" };
      expect(await settle()).toMatchObject(refused);
      expect(await requests.settleRequest(agentRequestId)).toMatchObject(refused);
      expect(await at.balanceOf(shop)).toMatchObject({ balance: 95n, held: 5n });
      await undo(shop);
      expect(await settle()).toMatchObject({ success: true });
      expect(await requests.settleRequest(agentRequestId)).toMatchObject({ success: true });
    });

    test("no lease of an account that redeems a stopped builder's plan pays for more", async () => {
      const credits = setRedemptionType(
        getFixedCreditsConfig(100n, 5n),
        PlanRedemptionType.ONLY_PLAN_ROLE,
      );
      const shop = await openCardShop(at.service, { credits });
      const { builder, planId, subscriber } = shop;
      const member = await at.service.party();
      await builder.payments.plans.updatePlan(planId, { redeemers: [member.address] });
      const first = await mintToken(shop);
      await settleCard(at.service, { ...shop, builder: member }, first.accessToken);
      const { accessToken } = await subscriber.payments.x402.getX402AccessToken(planId, undefined, {
        delegationConfig: { delegationId: first.delegationId },
        leaseSecs: 60,
      } as never);
      const lease = await member.payments.facilitator.leasePermissions({
        paymentRequired: requirementOf(shop),
        x402AccessToken: accessToken,
        requests: 5,
        seconds: 60,
      });
      expect(lease.requests).toBe(4);
      await stop(shop);
      const { items } = await member.payments.facilitator.settleBatch({
        items: [1, 2, 3, 4].map((n) => ({
          leaseId: lease.leaseId ?? "",
          agentRequestId: `after-stop-${n}-${planId}`,
        })),
      });
      expect(items.map((x) => x.success)).toEqual([false, false, false, false]);
    });

    test("a stopped builder's subscribers are not charged for another period, and no payout begins", async () => {
      const shop = await openBusiness();
      await stop(shop);
      const { ports } = at.service;
      await ports.clock.advance(MONTH + 60);
      while ((await ports.ledger.sweep()) > 0);
      await resolveRenewals(ports);
      const { money, holdings } = shop.subscriber.payments;
      expect((await money.listRenewals({ planId: shop.timePlanId })).items).toMatchObject([
        { state: "stopped" },
      ]);
      const { items } = await holdings.listOrders({ planId: shop.timePlanId });
      expect(items).toHaveLength(1);
      expect(await ports.payouts.listDueAccounts(10)).toEqual([]);
      const setup = await ports.payouts.findAccount(shop.builder.address);
      expect(setup).toMatchObject({ schedule: "manual", nextPayoutAt: null });
    });

    test("what a deleted builder wrote is gone from everything but records that keep it", async () => {
      const shop = await openBusiness();
      const { subscriber, planId, agentId, timePlanId, requestId } = shop;
      await stop(shop);
      await run("## Delete an account", shop);
      const [read = ""] = statementsUnder(PAGE, "## All data of an account");
      const rows = await runStatements(at.database, read, { account: shop.builder.address });
      const keeping = rows.filter((row) => /lovelace/i.test(JSON.stringify(row)));
      const kept = ["audit", "event_queue", "events", "invoices"];
      expect(keeping.filter(({ table }) => !kept.includes(String(table)))).toEqual([]);
      const { plans, agents, holdings, facilitator } = subscriber.payments;
      const plan = await plans.getPlan(planId);
      expect(plan).toMatchObject({ archivedAt: expect.any(String) });
      // What its subscribers were promised stays.
      expect(plan.metadata.main).toEqual({
        name: "Deleted plan",
        isTrialPlan: false,
        refundUnusedDays: 14,
      });
      expect(await agents.getAgent(agentId)).toMatchObject({
        metadata: { main: { name: "Deleted agent" }, agent: { endpoints: [], authType: "NONE" } },
        plans: [],
      });
      await expect(plans.orderPlan(planId)).rejects.toMatchObject({ code: "conflict" });
      const { items } = await holdings.listSubscriptions();
      expect(items.map((one) => one.planId).sort()).toEqual([planId, timePlanId].sort());
      expect(await at.balanceOf(shop)).toMatchObject({ balance: 99n });
      expect(await facilitator.getSettlement(requestId)).toMatchObject({ moneyStatus: "settled" });
    });
  },
);
