import { Payments } from "@turnpike/payments";
import { getFiatPriceConfig, getFixedCreditsConfig } from "@turnpike/payments/protocol";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type CardFixture, startCardFixture } from "@/lib/adapters/cards/testing/card-fixture.ts";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { createApiKey } from "@/lib/domain/accounts/api-keys.ts";
import { findSession, openSession } from "@/lib/domain/accounts/sessions.ts";
import type { PayoutProcessor } from "@/lib/domain/money/payout-ports.ts";
import { createPayout } from "@/lib/domain/money/payouts.ts";
import { resolvePayouts } from "@/lib/domain/money/resolve-payouts.ts";
import { freshId, requirementOf } from "../testing/operation-samples.ts";
import { runStatements, statementsUnder } from "../testing/page-statements.ts";
import { codeOf, createPermissionCalls } from "../testing/permission-calls.ts";
import {
  createMarket,
  createTestService,
  type TestMarket,
  type TestParty,
  type TestService,
} from "../testing/test-service.ts";

const PAGE = "docs/account-requests.md";
const DAY = 86_400;
const STOPPED = {
  code: "forbidden",
  message: "This account is stopped.",
  hint: expect.stringContaining("operator"),
};

describe.each(ruleStores())("an account that the operator stopped, on $name", ({ open }) => {
  let database: Database;
  let fixture: CardFixture;
  let service: TestService;

  beforeAll(async () => {
    [database, fixture] = await Promise.all([open(), startCardFixture()]);
    service = createTestService(database, {
      rails: [fixture.rail],
      cards: fixture.cards,
      moneyOut: { payoutProcessor: fixture.payouts },
    });
  });
  afterEach(async () => {
    fixture.processor.faults.clear();
    expect(await brokenRules(database)).toEqual([]);
  });
  afterAll(async () => {
    await database.close();
    await fixture.close();
  });

  const run = (sql = "", account: string) => runStatements(database, sql, { account });
  const stop = ({ address }: TestParty) =>
    run(statementsUnder(PAGE, "## Stop an account")[0], address);
  const undo = ({ address }: TestParty) =>
    run(statementsUnder(PAGE, "## Stop an account")[1], address);

  /** A key that is made after the stop, as a replica of an earlier release would. */
  async function withNewKey({ context }: TestParty): Promise<Payments> {
    const { apiKey } = await createApiKey(context, { name: "again" });
    const { fetch } = service;
    return Payments.getInstance({
      apiKey,
      environment: "sandbox",
      baseUrl: "http://service.test",
      fetch,
    });
  }

  /** A builder with a card sale of 5.00 that can be paid out. */
  async function seller() {
    const builder = await service.party();
    const { planId } = await builder.payments.plans.registerCreditsPlan(
      { name: "By card" },
      getFiatPriceConfig(5_000_000n, builder.address, "USD"),
      getFixedCreditsConfig(100n, 1n),
    );
    const sell = async () => {
      const buyer = await service.party();
      const { paymentMethodId } = await fixture.cards.saveCard(buyer.address, "pm_card_visa");
      return buyer.payments.plans.orderPlan(planId, {
        providerPaymentMethodId: paymentMethodId ?? "",
      });
    };
    await sell();
    await builder.payments.money.createPayoutAccount({});
    const setup = await service.ports.payouts.findAccount(builder.address);
    const processorAccount = setup?.processorAccount ?? "";
    fixture.processor.controls.onboard(processorAccount, "complete", ["usd"]);
    const paidOut = async () => {
      await resolvePayouts(service.ports);
      const [usd] = await fixture.payouts.transferredTo(processorAccount);
      return usd?.amount ?? 0n;
    };
    return { builder, planId, sell, paidOut };
  }

  test("can't sign in, call with any key, sell or be paid out, until the stop is undone", async () => {
    const { builder, planId, sell, paidOut } = await seller();
    const token = await openSession(service.ports, builder.address, "wallet");
    await stop(builder);
    expect(await findSession(service.ports, token)).toBeNull();
    await expect(openSession(service.ports, builder.address, "wallet")).rejects.toMatchObject(
      STOPPED,
    );
    const again = await withNewKey(builder);
    for (const { plans, money } of [builder.payments, again]) {
      await expect(plans.restorePlan(planId)).rejects.toMatchObject(STOPPED);
      await expect(money.createPayout({ currency: "usd" })).rejects.toMatchObject(STOPPED);
    }
    // As a replica of an earlier release restores it, and asks for a payout.
    await database.query("update plans set archived_at = null where plan_id = $1", [planId]);
    await expect(sell()).rejects.toMatchObject({ code: "conflict" });
    await expect(createPayout(builder.context, { currency: "usd" })).rejects.toThrow();
    expect(await paidOut()).toBe(0n);

    await undo(builder);
    expect((await sell()).status).toBe("minted");
    await openSession(service.ports, builder.address, "wallet");
    await again.money.createPayout({ currency: "usd" });
    expect(await paidOut()).toBe(10_000_000n);
    const { items } = await again.audit.listAudit({ action: "account" });
    expect(items.map(({ action }) => action)).toEqual(["account.resume", "account.stop"]);
  });

  test("is not sent a payout that waits, by the schedule or on its own, until the stop is undone", async () => {
    const { builder, paidOut } = await seller();
    await builder.money.setPayoutSchedule({ schedule: "daily" });
    fixture.processor.faults.add({ kind: "error-before", path: "/v1/transfers", times: 3 });
    const { payoutId } = await builder.payments.money.createPayout({ currency: "usd" });
    fixture.processor.faults.clear();
    await stop(builder);
    // As a replica of an earlier release sets it.
    await service.ports.payouts.updateAccount(builder.address, { nextPayoutAt: new Date(0) });
    await service.ports.clock.advance(2 * DAY);
    expect(await paidOut()).toBe(0n);
    expect(await service.ports.payouts.listDueAccounts(10)).toEqual([]);
    expect((await service.ports.payouts.findPayout(payoutId))?.state).toBe("open");
    await undo(builder);
    await service.ports.clock.advance(61);
    expect(await paidOut()).toBe(5_000_000n);
  });

  test("is not sent a payout when it is stopped while others' are looked at", async () => {
    const sellers = [await seller(), await seller()];
    fixture.processor.faults.add({ kind: "error-before", path: "/v1/transfers", times: 6 });
    for (const { builder } of sellers) {
      await builder.payments.money.createPayout({ currency: "usd" });
    }
    fixture.processor.faults.clear();
    await service.ports.clock.advance(61);
    const transferred: string[] = [];
    const transfer: PayoutProcessor["transfer"] = async (payout) => {
      transferred.push(payout.account);
      const other = sellers.find(({ builder }) => builder.address !== payout.account);
      if (other) await stop(other.builder);
      return fixture.payouts.transfer(payout);
    };
    await resolvePayouts({
      ...service.ports,
      payoutProcessor: { ...fixture.payouts, transfer },
    });
    expect(transferred).toHaveLength(1);
    const { builder, paidOut } =
      sellers.find((each) => each.builder.address !== transferred[0]) ?? expect.fail();
    expect(await paidOut()).toBe(0n);
    await undo(builder);
    await service.ports.clock.advance(61);
    expect(await paidOut()).toBe(5_000_000n);
  });

  /** What a gate asks about its calls; `held` is a request that it reserved. */
  const callsOf = (market: TestMarket, held: string = freshId()) => {
    const asked = { paymentRequired: requirementOf(market), x402AccessToken: market.token };
    const leased = { leaseId: held, agentRequestId: freshId() };
    return [
      ["verify", asked],
      ["settle", { ...asked, agentRequestId: freshId() }],
      ["settle", { ...asked, agentRequestId: held }],
      ["settle", leased],
      ["settle/batch", { items: [leased] }],
      ["lease", { ...asked, requests: 2, seconds: 5 }],
    ] as const;
  };

  test("a revoked key is refused whatever it asks, also by a replica that has not seen it", async () => {
    const market = await createMarket(service);
    const { builder } = market;
    const agentRequestId = freshId();
    await createPermissionCalls(service, market).verify({ agentRequestId, reserve: true });
    await database.query("update api_keys set revoked_at = app_now() where account = $1", [
      builder.address,
    ]);
    for (const at of [service, createTestService(database, { rails: [fixture.rail] })]) {
      for (const held of [agentRequestId, undefined]) {
        for (const [path, body] of callsOf(market, held)) {
          const answer = await at.call(builder, "POST", `/x402/${path}`, body);
          const { code, settlements } = await answer.json();
          expect([path, code ?? settlements[0].errorReason]).toEqual([path, "unauthorized"]);
        }
      }
    }
  });

  test("has the calls settled that it pays for, and none of those at its agents", async () => {
    const market = await createMarket(service);
    const calls = createPermissionCalls(service, market);
    const reserved = async () => {
      const agentRequestId = freshId();
      const { body } = await calls.verify({ agentRequestId, reserve: true });
      expect(codeOf(body)).toBe("ok");
      return agentRequestId;
    };
    const available = async () =>
      (await service.ports.plans.balance(market.planId, market.subscriber.address))?.available;
    const [paid, unpaid] = [await reserved(), await reserved()];
    await stop(market.subscriber);
    expect(codeOf((await calls.settle({ agentRequestId: paid })).body)).toBe("ok");
    expect(codeOf((await calls.settle()).body)).not.toBe("ok");
    await stop(market.builder);
    expect(codeOf((await calls.verify()).body)).toBe("forbidden");
    const left = await available();
    // Also a replica that has not seen the key yet.
    const replica = createTestService(database, { rails: [fixture.rail] });
    for (const [path, body] of callsOf(market)) {
      const answer = await replica.call(market.builder, "POST", `/x402/${path}`, body);
      expect([path, answer.status, await answer.json()]).toMatchObject([path, 403, STOPPED]);
    }
    // What anyone can read, a gate can read for payments that go on.
    for (const path of [`/protocol/plans/${market.planId}`, `/protocol/agents/${market.agentId}`]) {
      expect((await replica.call(market.builder, "GET", path)).status).toBe(200);
    }
    expect(codeOf((await calls.settle({ agentRequestId: unpaid })).body)).toBe("unauthorized");
    await service.ports.clock.advance(DAY);
    while ((await service.ports.ledger.sweep()) > 0);
    expect(await available()).toBe((left ?? 0n) + 1n);
  });
});
