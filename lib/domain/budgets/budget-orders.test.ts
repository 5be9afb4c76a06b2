import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import type { CashRail } from "@/lib/domain/testing/cash-rail.ts";
import { freshId } from "@/lib/server/testing/operation-samples.ts";
import { createPretendRail } from "@/lib/server/testing/pretend-rail.ts";
import {
  createTestService,
  type TestMarket,
  type TestService,
} from "@/lib/server/testing/test-service.ts";
import { createBudgetMarket, limits, spentBy } from "./testing/budget-market.ts";

/** As many failures as one request may buy. */
const FAILURES = 6;

describe.each(ruleStores())("orders that budgets count on $name", ({ open }) => {
  let database: Database;
  let service: TestService;
  let rail: CashRail;

  beforeAll(async () => {
    database = await open();
    rail = createPretendRail();
    service = createTestService(database, { rails: [rail] });
  });
  afterAll(async () => {
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  /** Runs work while the bank is away. */
  async function withoutBank<T>(work: () => Promise<T>): Promise<T> {
    const { charge } = rail;
    rail.charge = async () => ({
      status: "refused",
      code: "processor_unavailable",
      message: "The bank is away.",
    });
    return work().finally(() => {
      rail.charge = charge;
    });
  }

  test("a call's budget counts what it bought after failures, too", {
    timeout: 60_000,
  }, async () => {
    const { market, calls, delegationId } = await createBudgetMarket(service);
    const { subscriber, builder } = market;
    const { budgets } = subscriber.payments;
    await budgets.setDelegationBudgets(delegationId, { limits: limits(["call", "money", 150]) });
    const agentRequestId = freshId();
    const ask = async () => (await calls.verify({ agentRequestId, reserve: true })).body;
    for (let failures = 0; failures < FAILURES; failures++) {
      expect(await withoutBank(ask)).toMatchObject({ isValid: false, cause: "declined" });
      await service.ports.clock.advance(600);
    }
    expect(await ask()).toMatchObject({ isValid: true });
    await builder.payments.facilitator.releasePermissions({ agentRequestId });
    // Another request uses what it bought.
    expect((await calls.settle()).body).toMatchObject({ success: true });
    expect(await ask()).toMatchObject({ isValid: false, cause: "budget_per_call" });
    expect((await spentBy(service, subscriber)).cents).toBe(100);
  });

  /** Why budgets refuse an order that is no call's. */
  async function causeOf({ subscriber, builder }: TestMarket, cents: number | null) {
    const [row] = await database.query<{ cause: string | null }>(
      "select budget_cause($1, null, $2, null, 'money', 'usd', $3, '', app_now()) as cause",
      [subscriber.address, builder.address, cents],
    );
    return row?.cause;
  }

  test("a renewal is no call: an order under the key 1 is not its own", async () => {
    const { market } = await createBudgetMarket(service);
    const { budgets, plans } = market.subscriber.payments;
    await budgets.setBudgets({ limits: limits(["call", "money", 150]) });
    await plans.orderPlan(market.planId, { idempotencyKey: "1" });
    expect(await causeOf(market, 100)).toBeNull();
    expect(await causeOf(market, 151)).toBe("budget_per_call");
  });

  test("a declined order gives its money back to its day", async () => {
    const { market, calls } = await createBudgetMarket(service);
    const { budgets } = market.subscriber.payments;
    await budgets.setBudgets({ limits: limits(["month", "money", 150]) });
    const held = { agentRequestId: freshId(), reserve: true };
    await withoutBank(async () => {
      expect((await calls.verify(held)).body).toMatchObject({ isValid: false });
    });
    expect((await budgets.getBudgets()).limits).toMatchObject([{ used: "0" }]);
    expect((await calls.verify(held)).body).toMatchObject({ isValid: true });
    expect((await budgets.getBudgets()).limits).toMatchObject([{ used: "100" }]);
  });

  test("an order that waits for a person names no delegation that is created with it", async () => {
    const { market } = await createBudgetMarket(service);
    const { budgets, plans } = market.subscriber.payments;
    await budgets.setBudgets({ approval: { above: 0n } });
    const delegationConfig = { spendingLimitCents: 1_000n, durationSecs: 86_400 };
    await expect(plans.orderPlan(market.planId, { delegationConfig })).rejects.toMatchObject({
      details: expect.arrayContaining([{ path: "order", message: "pending_approval" }]),
    });
    const [asked] = (await budgets.listApprovals()).items;
    expect(asked).toMatchObject({ planId: market.planId, status: "pending" });
    expect(asked).not.toHaveProperty("delegationId");
  });

  test("what is used while an account has no budgets is counted by its next ones", async () => {
    const { market, calls, delegationId } = await createBudgetMarket(service);
    const { budgets } = market.subscriber.payments;
    const month = limits(["month", "money", 900], ["month", "credits", 900]);
    await budgets.setDelegationBudgets(delegationId, { limits: month });
    await budgets.setDelegationBudgets(delegationId, { limits: [] });
    expect((await calls.settle()).body).toMatchObject({ success: true });
    await budgets.setBudgets({ limits: month });
    const used = [{ used: "100" }, { used: "10" }];
    expect((await budgets.getBudgets()).limits).toMatchObject(used);
    expect(
      (await budgets.setDelegationBudgets(delegationId, { limits: month })).limits,
    ).toMatchObject(used);
  });

  test("a price that no budget can count is refused only while there are budgets", async () => {
    const { market } = await createBudgetMarket(service);
    const { budgets } = market.subscriber.payments;
    await budgets.setBudgets({ limits: limits(["day", "credits", 1]) });
    expect(await causeOf(market, null)).toBe("budget_currency");
    await budgets.setBudgets({ limits: [] });
    expect(await causeOf(market, null)).toBeNull();
  });

  test("two limits that differ in nothing but the amount are refused", async () => {
    const { market, delegationId } = await createBudgetMarket(service);
    const { builder, agentId, subscriber } = market;
    const { budgets } = subscriber.payments;
    const day = ["day", "money", 100] as const;
    const apart = limits(
      [...day],
      ["week", "money", 100],
      ["day", "credits", 100],
      [...day, { builder: builder.address }],
      [...day, { agentId }],
    );
    await budgets.setBudgets({ limits: apart });
    for (const more of [undefined, { builder: builder.address.toLowerCase() }, { agentId }]) {
      const twice = [...apart, ...limits(["day", "money", 200, more])];
      for (const set of [
        () => budgets.setBudgets({ limits: twice }),
        () => budgets.setDelegationBudgets(delegationId, { limits: twice }),
      ]) {
        await expect(set()).rejects.toMatchObject({
          code: "invalid_input",
          details: [{ path: "limits.5" }],
        });
      }
    }
  });

  test("a rule for approvals in one currency never loosens one in another", async () => {
    const { market, calls, delegationId } = await createBudgetMarket(service);
    const { budgets, plans } = market.subscriber.payments;
    const asked = async () => {
      expect((await calls.verify()).body).toMatchObject({ cause: "pending_approval" });
      expect((await calls.settle()).body).toMatchObject({ cause: "pending_approval" });
      await expect(plans.orderPlan(market.planId, { delegationId })).rejects.toMatchObject({
        details: expect.arrayContaining([{ path: "order", message: "pending_approval" }]),
      });
    };
    // An order in another currency than a rule's waits, whatever it costs.
    await budgets.setBudgets({ currency: "zar", approval: { above: 5_000n } });
    await asked();
    await budgets.setDelegationBudgets(delegationId, { approval: { above: 5_000n } });
    await asked();
    await budgets.setBudgets({ currency: "usd", approval: { above: 5_000n } });
    expect((await calls.verify()).body).toMatchObject({ isValid: true });
  });
});
