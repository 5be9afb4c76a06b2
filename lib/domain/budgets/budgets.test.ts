import type { InputOf } from "@turnpike/payments/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { freshId } from "@/lib/server/testing/operation-samples.ts";
import { createTestService, type TestService } from "@/lib/server/testing/test-service.ts";
import { LEASE_SECS } from "../permissions/lease.ts";
import {
  createBudgetMarket,
  limits,
  mintFor,
  moveToNoon,
  spentBy,
} from "./testing/budget-market.ts";

describe.each(ruleStores())("budgets on $name", ({ open }) => {
  let database: Database;
  let service: TestService;

  beforeAll(async () => {
    database = await open();
    service = createTestService(database);
    await moveToNoon(service);
  });
  afterAll(async () => {
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  const held = () => ({ agentRequestId: freshId(), reserve: true });

  test.each([
    ["day", "budget_per_day"],
    ["week", "budget_per_week"],
    ["month", "budget_per_month"],
  ] as const)(
    "an order beyond the money of a %s is refused and names the budget",
    async (period, cause) => {
      const { market, calls, delegationId } = await createBudgetMarket(service);
      const { budgets } = market.subscriber.payments;
      await budgets.setDelegationBudgets(delegationId, { limits: limits([period, "money", 250]) });
      for (const _ of [1, 2])
        expect((await calls.verify(held())).body).toMatchObject({ isValid: true });
      expect((await calls.verify(held())).body).toMatchObject({
        isValid: false,
        invalidReason: "insufficient_balance",
        cause,
        invalidMessage: expect.stringContaining("Raise the budget"),
      });
      const {
        limits: [limit],
      } = await budgets.getDelegationBudgets(delegationId);
      expect(limit).toMatchObject({ period, used: "200", limit: "250" });
      // The remedy works: the same call passes once the budget is raised.
      await budgets.setDelegationBudgets(delegationId, { limits: limits([period, "money", 300]) });
      expect((await calls.verify(held())).body).toMatchObject({ isValid: true });
    },
  );

  test("calls beyond the credits of a day are refused, and what a call gives back can be used", async () => {
    const { market, calls } = await createBudgetMarket(service, { perCall: 1n });
    const { payments } = market.subscriber;
    await payments.plans.orderPlan(market.planId);
    await payments.budgets.setBudgets({ limits: limits(["day", "credits", 2]) });
    const first = held();
    expect((await calls.verify(first)).body).toMatchObject({ isValid: true });
    expect((await calls.settle()).body).toMatchObject({ success: true });
    expect((await calls.verify(held())).body).toMatchObject({ cause: "budget_per_day" });
    expect((await calls.settle()).body).toMatchObject({ cause: "budget_per_day", success: false });
    await market.builder.payments.facilitator.releasePermissions({
      agentRequestId: first.agentRequestId,
    });
    expect((await calls.verify(held())).body).toMatchObject({ isValid: true });
    expect((await payments.budgets.getBudgets()).limits[0]).toMatchObject({ used: "2" });
  });

  test("a day's budget is full again on the next UTC day", async () => {
    const other = createTestService(await open());
    await moveToNoon(other);
    const { market, calls } = await createBudgetMarket(other, { perCall: 1n });
    const { payments } = market.subscriber;
    await payments.plans.orderPlan(market.planId);
    await payments.budgets.setBudgets({
      limits: limits(["day", "credits", 1], ["day", "money", 300]),
    });
    expect((await calls.settle()).body).toMatchObject({ success: true });
    expect((await calls.settle()).body).toMatchObject({ success: false });
    const [limit] = (await payments.budgets.getBudgets()).limits;
    const now = await other.ports.clock.now();
    const left = Date.parse(limit?.resetsAt ?? "") - now.getTime();
    await other.ports.clock.advance(Math.ceil(left / 1000) + 1);
    const fresh = await mintFor(other, market);
    expect((await fresh.calls.settle()).body).toMatchObject({ success: true });
    const used = (await payments.budgets.getBudgets()).limits.map((each) => each.used);
    expect(used).toEqual(["1", "0"]);
    await other.database.close();
  });

  test("a lapsed hold that is settled by its record still counts against the budget", async () => {
    const other = createTestService(await open());
    await moveToNoon(other);
    const { market, calls } = await createBudgetMarket(other, { perCall: 1n });
    const { subscriber, builder, planId } = market;
    await subscriber.payments.plans.orderPlan(planId);
    await subscriber.payments.budgets.setBudgets({ limits: limits(["month", "credits", 2]) });
    const lapsed = held();
    expect((await calls.verify(lapsed)).body).toMatchObject({ isValid: true });
    await other.ports.clock.advance(LEASE_SECS + 1);
    expect(await other.ports.ledger.sweep()).toBe(1);
    for (const _ of [1, 2]) expect((await calls.settle()).body).toMatchObject({ success: true });
    const settled = await builder.payments.requests.settleRequest(lapsed.agentRequestId);
    expect(settled).toMatchObject({ success: false, errorReason: "insufficient_balance" });
    await other.database.close();
  });

  test("one call cannot order or take more than the budget of a call", async () => {
    const { market, calls, delegationId } = await createBudgetMarket(service);
    const { budgets } = market.subscriber.payments;
    await budgets.setDelegationBudgets(delegationId, { limits: limits(["call", "money", 99]) });
    expect((await calls.verify()).body).toMatchObject({ cause: "budget_per_call" });
    await budgets.setDelegationBudgets(delegationId, { limits: limits(["call", "credits", 9]) });
    expect((await calls.verify()).body).toMatchObject({ cause: "budget_per_call" });
    await budgets.setDelegationBudgets(delegationId, { limits: limits(["call", "credits", 10]) });
    expect((await calls.verify()).body).toMatchObject({ isValid: true });
  });

  test("builders and agents have budgets of their own, and others are not on the list", async () => {
    const { market, calls } = await createBudgetMarket(service, { perCall: 1n });
    const { subscriber, builder, agentId, planId } = market;
    const { budgets, plans } = subscriber.payments;
    await plans.orderPlan(planId);
    const own = { builder: builder.address };
    await budgets.setBudgets({ limits: limits(["day", "credits", 1, own]) });
    expect((await calls.settle()).body).toMatchObject({ success: true });
    expect((await calls.verify()).body).toMatchObject({ cause: "budget_per_builder" });
    await budgets.setBudgets({ limits: limits(["day", "credits", 1, { agentId }]) });
    expect((await calls.verify()).body).toMatchObject({ cause: "budget_per_agent" });
    const other = (await service.party()).address;
    await budgets.setBudgets({ limits: [], allow: { builders: [other] } });
    expect((await calls.verify()).body).toMatchObject({ cause: "budget_not_allowed" });
    await budgets.setBudgets({ allow: { builders: [other], agents: [agentId] } });
    expect((await calls.verify()).body).toMatchObject({ isValid: true });
    await budgets.setBudgets({ allow: {} });
    expect(await budgets.getBudgets()).toEqual({ currency: "usd", limits: [] });
  });

  test("a change keeps what it leaves out, and removes what it empties", async () => {
    const { market, delegationId } = await createBudgetMarket(service);
    const { budgets } = market.subscriber.payments;
    const day = limits(["day", "money", 500]);
    const { builder } = market;
    const allow = { builders: [builder.address] };
    for (const set of [
      budgets.setBudgets,
      (input: InputOf<"setBudgets">) => budgets.setDelegationBudgets(delegationId, input),
    ]) {
      await set({ limits: day, allow, approval: { above: 100n } });
      const raised = await set({ approval: { above: 200n } });
      expect(raised).toMatchObject({
        limits: [{ limit: "500" }],
        allow,
        approval: { above: 200n },
      });
      const [open, unlimited] = [await set({ approval: {} }), await set({ limits: [] })];
      expect(open).toMatchObject({ limits: [{ limit: "500" }], allow });
      expect(open.approval).toBeUndefined();
      expect(unlimited).toMatchObject({ limits: [], allow });
      await set({ limits: day, allow: {} });
      const typo = { limit: [] } as InputOf<"setBudgets">;
      const misspelt = { approval: { abov: "1" } } as InputOf<"setBudgets">;
      for (const input of [{}, typo, misspelt, { allow: { agents: [] } }])
        await expect(set(input)).rejects.toMatchObject({ code: "invalid_input" });
    }
    expect((await budgets.getBudgets()).limits).toMatchObject([{ limit: "500" }]);
  });

  test("another currency is refused while amounts in the first one would stay", async () => {
    const { market } = await createBudgetMarket(service);
    const { budgets } = market.subscriber.payments;
    const day = limits(["day", "money", 500]);
    await budgets.setBudgets({ limits: day, approval: { above: 100n } });
    for (const kept of [{}, { limits: day }, { approval: {} }])
      await expect(budgets.setBudgets({ currency: "eur", ...kept })).rejects.toMatchObject({
        details: [{ path: "currency", message: expect.stringContaining("USD") }],
      });
    const euros = { currency: "eur", limits: day, approval: {} };
    expect(await budgets.setBudgets(euros)).toMatchObject({ currency: "eur" });
    const credits = limits(["day", "credits", 5]);
    await budgets.setBudgets({ limits: credits });
    expect(await budgets.setBudgets({ currency: "usd" })).toMatchObject({ currency: "usd" });
  });

  test("an agent that does not exist is refused, for a limit and on the list", async () => {
    const { market } = await createBudgetMarket(service, { perCall: 1n });
    const { payments, address } = market.subscriber;
    const wrong: [InputOf<"setBudgets">, string][] = [
      [{ limits: limits(["day", "credits", 1, { agentId: "zz" }]) }, "limits.0.agentId"],
      [{ allow: { builders: [address], agents: [market.agentId, "zz"] } }, "allow.agents.1"],
    ];
    for (const [input, path] of wrong) {
      await expect(payments.budgets.setBudgets(input)).rejects.toMatchObject({
        code: "invalid_input",
        details: [{ path, message: "No agent has the ID “zz”." }],
      });
    }
    expect(await payments.budgets.getBudgets()).toEqual({ currency: "usd", limits: [] });
  });

  test("an account's budget counts tokens, delegations, direct orders and rails together", async () => {
    const { market, calls } = await createBudgetMarket(service);
    const { subscriber } = market;
    const second = await mintFor(service, market);
    await subscriber.payments.budgets.setBudgets({ limits: limits(["month", "money", 300]) });
    expect((await calls.settle()).body).toMatchObject({ success: true });
    expect((await second.calls.settle()).body).toMatchObject({ success: true });
    await subscriber.payments.plans.orderPlan(market.planId);
    await expect(subscriber.payments.plans.orderPlan(market.planId)).rejects.toMatchObject({
      code: "payment_refused",
      message: expect.stringContaining(
        "The monthly budget has too little left for this. Raise the budget,",
      ),
      hint: "Budgets count every payment method: another one is refused as well.",
      details: [{ path: "order", message: "budget_per_month" }],
    });
    // The ten credits of the direct order are left; after them both tokens are refused.
    expect((await calls.settle()).body).toMatchObject({ success: true });
    expect((await second.calls.settle()).body).toMatchObject({ cause: "budget_per_month" });
    expect((await spentBy(service, subscriber)).cents).toBe(300);
  });

  test("an order in another currency than the budget's is refused, never left uncounted", async () => {
    const { market, calls } = await createBudgetMarket(service);
    const { budgets } = market.subscriber.payments;
    await budgets.setBudgets({ currency: "eur", limits: limits(["day", "money", 1_000_000]) });
    expect((await calls.verify()).body).toMatchObject({ cause: "budget_currency" });
    expect((await calls.settle()).body).toMatchObject({ cause: "budget_currency" });
    await expect(market.subscriber.payments.plans.orderPlan(market.planId)).rejects.toMatchObject({
      message: expect.stringContaining("A budget counts EUR."),
      details: [{ path: "order", message: "budget_currency" }],
    });
  });

  test("T05: a stranger learns nothing of budgets, and sets none but their own", async () => {
    const { market, calls, delegationId } = await createBudgetMarket(service);
    const stranger = await service.party();
    const nothing = { limits: limits(["day", "money", 1]) };
    await expect(
      stranger.payments.budgets.setDelegationBudgets(delegationId, nothing),
    ).rejects.toMatchObject({ code: "not_found" });
    await expect(
      stranger.payments.budgets.getDelegationBudgets(delegationId),
    ).rejects.toMatchObject({
      code: "not_found",
    });
    await market.subscriber.payments.budgets.setDelegationBudgets(delegationId, nothing);
    const { body } = await calls.verify({ caller: stranger });
    expect(JSON.stringify(body)).not.toContain("budget");
  });

  test("a new budget knows what its periods were used for before it", async () => {
    const { market, calls, delegationId } = await createBudgetMarket(service, { perCall: 1n });
    await market.subscriber.payments.plans.orderPlan(market.planId);
    for (const _ of [1, 2, 3]) await calls.settle();
    await calls.verify(held());
    const { budgets } = market.subscriber.payments;
    const rows = limits(["day", "credits", 100], ["month", "credits", 100], ["day", "money", 900]);
    expect(
      (await budgets.setDelegationBudgets(delegationId, { limits: rows })).limits,
    ).toMatchObject([{ used: "4" }, { used: "4" }, { used: "0" }]);
    expect((await budgets.setBudgets({ limits: rows })).limits[2]).toMatchObject({ used: "100" });
  });
});
