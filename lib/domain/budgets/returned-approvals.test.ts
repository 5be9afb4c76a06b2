import type { Verification } from "@turnpike/payments/protocol";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { freshId } from "@/lib/server/testing/operation-samples.ts";
import { createPretendRail } from "@/lib/server/testing/pretend-rail.ts";
import { createTestService, type TestService } from "@/lib/server/testing/test-service.ts";
import { inFull, longTest } from "@/lib/testing/in-full.ts";
import type { ChargeOutcome } from "../orders/order-ports.ts";
import { CONFIRM_WITHIN_SECS, resolveOrders } from "../orders/resolve-orders.ts";
import { createBudgetMarket, limits } from "./testing/budget-market.ts";

const CROWD = inFull(100, 20);
const refusal = (code: string) => ({ status: "refused", code, message: "" }) as const;
const AWAY = refusal("processor_unavailable");
const WAITING: ChargeOutcome = { ...refusal("authentication_required"), requiresAction: true };
const PAID: ChargeOutcome = { status: "paid", reference: "paid" };

/** The approval that a request waits for. */
function approvalIn(body: Verification): string {
  expect(body).toMatchObject({ isValid: false, cause: "pending_approval" });
  return "approval" in body ? (body.approval?.approvalId ?? "") : "";
}

/** An approval is used up by what it bought: an order that charged nothing leaves it as it was. */
describe.each(ruleStores())("approvals whose order was declined on $name", ({ open }) => {
  let database: Database;
  let service: TestService;
  /** What the next charges come to; once they are over, all are paid. */
  let bank: ChargeOutcome[];

  beforeAll(async () => {
    database = await open();
    const rail = {
      ...createPretendRail(),
      charge: async () => bank.shift() ?? PAID,
      lookUp: async () => WAITING,
      abandon: async () => refusal("canceled"),
    };
    service = createTestService(database, { rails: [rail] });
  });
  beforeEach(() => {
    bank = [];
  });
  afterAll(async () => {
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  /** Calls of ten credits, for which an order of 1.00 waits for a person. */
  async function approved(rule: object = {}) {
    const { market, calls } = await createBudgetMarket(service);
    const { budgets, plans } = market.subscriber.payments;
    const setRule = (rules = rule) => budgets.setBudgets({ approval: { above: 50n, ...rules } });
    await setRule();
    const ask = async (agentRequestId = freshId()) =>
      (await calls.verify({ agentRequestId, reserve: true })).body;
    const approve = async (body: Verification) => {
      const approvalId = approvalIn(body);
      await budgets.approveRequest(approvalId);
      return approvalId;
    };
    const stateOf = async (approvalId: string) => (await budgets.getApproval(approvalId)).status;
    const buyAsPerson = async () => {
      const { verbs } = await import("../verbs.ts");
      await verbs.orderPlan(market.subscriber.context, { planId: market.planId });
    };
    const release = (agentRequestId: string) =>
      market.builder.payments.facilitator.releasePermissions({ agentRequestId });
    const lapse = async () => {
      await service.ports.clock.advance(CONFIRM_WITHIN_SECS + 1);
      await resolveOrders(service.ports);
    };
    return {
      ask,
      approve,
      stateOf,
      setRule,
      buyAsPerson,
      release,
      lapse,
      calls,
      budgets,
      plans,
      market,
    };
  }

  test.each([
    ["the same request", true],
    ["another one", false],
  ])("%s passes by it, once", async (_, isSame) => {
    const { ask, approve, stateOf } = await approved();
    const first = freshId();
    const approvalId = await approve(await ask(first));
    bank = [AWAY];
    expect(await ask(first)).toMatchObject({ isValid: false, cause: "declined" });
    expect(await stateOf(approvalId)).toBe("approved");
    expect(await ask(isSame ? first : freshId())).toMatchObject({ isValid: true });
    expect(await stateOf(approvalId)).toBe("used");
    expect(await ask()).toMatchObject({ cause: "pending_approval" });
  });

  test("an API key orders again by it", async () => {
    const { plans, budgets, market } = await approved();
    const order = () => plans.orderPlan(market.planId).catch((error) => error);
    await budgets.approveRequest((await order()).details[1].message);
    bank = [AWAY];
    expect(await order()).toMatchObject({ code: "payment_refused" });
    expect(await order()).toMatchObject({ success: true });
    expect(await order()).toMatchObject({ details: [{ message: "pending_approval" }, {}] });
  });

  longTest("a crowd of requests buys once by it, whatever failed before", async () => {
    const { ask, approve, market } = await approved();
    await approve(await ask());
    bank = [AWAY, AWAY, AWAY];
    for (let round = 0; round < 4; round++)
      await Promise.all(Array.from({ length: CROWD }, () => ask()));
    const orders = await database.query<{ status: string; count: number }>(
      "select status, count(*) from orders where account = $1 group by 1 order by 1",
      [market.subscriber.address],
    );
    expect(orders).toEqual([
      { status: "declined", count: 3 },
      { status: "minted", count: 1 },
    ]);
  });

  test("after its time it passes nothing", async () => {
    const { ask, approve, stateOf, lapse } = await approved({ minutes: 1 });
    const approvalId = await approve(await ask());
    bank = [WAITING];
    await ask();
    await lapse();
    expect(await ask()).toMatchObject({ cause: "pending_approval" });
    expect(await stateOf(approvalId)).toBe("used");
  });

  test("what bought an order before is used up, though another order of the request was declined", async () => {
    const { ask, approve, stateOf, release, setRule, budgets, calls } = await approved();
    const first = freshId();
    const approvalId = await approve(await ask(first));
    expect(await ask(first)).toMatchObject({ isValid: true });
    await release(first);
    expect((await calls.settle()).body).toMatchObject({ success: true });
    await budgets.setBudgets({ approval: {}, limits: limits(["day", "money", 10_000]) });
    bank = [AWAY];
    expect(await ask(first)).toMatchObject({ cause: "declined" });
    await setRule();
    expect(await ask(first)).toMatchObject({ cause: "pending_approval" });
    expect(await stateOf(approvalId)).toBe("used");
  });

  test("what reserved credits is used up, though the order of the request was declined", async () => {
    const { ask, approve, stateOf, buyAsPerson, lapse } = await approved({
      aboveCredits: 5n,
      minutes: 120,
    });
    const first = freshId();
    const approvalId = await approve(await ask(first));
    bank = [WAITING];
    expect(await ask(first)).toMatchObject({ cause: "authentication_required" });
    await buyAsPerson();
    expect(await ask(first)).toMatchObject({ isValid: true });
    await lapse();
    expect(await stateOf(approvalId)).toBe("used");
  });

  test("a request that waits meanwhile takes it over", async () => {
    const { ask, approve, stateOf, buyAsPerson, lapse } = await approved({
      aboveCredits: 5n,
      minutes: 120,
    });
    const approvalId = await approve(await ask());
    bank = [WAITING];
    expect(await ask()).toMatchObject({ cause: "authentication_required" });
    await buyAsPerson();
    const waiting = approvalIn(await ask());
    await lapse();
    expect([await stateOf(approvalId), await stateOf(waiting)]).toEqual(["used", "approved"]);
    expect(await ask()).toMatchObject({ isValid: true });
    expect(await stateOf(waiting)).toBe("used");
  });

  test("a request that waits meanwhile for more goes on waiting", async () => {
    const { ask, approve, stateOf, buyAsPerson, lapse, calls } = await approved({
      aboveCredits: 5n,
      minutes: 120,
    });
    const approvalId = await approve(await ask());
    bank = [WAITING];
    expect(await ask()).toMatchObject({ cause: "authentication_required" });
    await buyAsPerson();
    const waiting = approvalIn(await ask());
    await database.query("update approvals set max_credits = 11 where approval_id = $1", [waiting]);
    await lapse();
    expect([await stateOf(approvalId), await stateOf(waiting)]).toEqual(["used", "pending"]);
    expect((await calls.settle()).body).toMatchObject({ cause: "pending_approval" });
  });

  test.each([
    ["the same", 10],
    ["more", 11],
  ])("a request for %s whose time is over does not keep it", async (_, credits) => {
    const { ask, approve, stateOf, setRule, buyAsPerson, lapse } = await approved({
      aboveCredits: 5n,
      minutes: 120,
    });
    const approvalId = await approve(await ask());
    bank = [WAITING];
    expect(await ask()).toMatchObject({ cause: "authentication_required" });
    await buyAsPerson();
    await setRule({ aboveCredits: 5n, minutes: 30 });
    const late = approvalIn(await ask());
    await database.query("update approvals set max_credits = $2 where approval_id = $1", [
      late,
      credits,
    ]);
    await lapse();
    expect([await stateOf(approvalId), await stateOf(late)]).toEqual(["approved", "expired"]);
    expect(await ask()).toMatchObject({ isValid: true });
    expect(await stateOf(approvalId)).toBe("used");
  });

  test("stays used where a person has declined the same since", async () => {
    const { plans, budgets, market, lapse, stateOf } = await approved({ minutes: 120 });
    const order = () => plans.orderPlan(market.planId).catch((error) => error);
    const approvalId = (await order()).details[1].message;
    await budgets.approveRequest(approvalId);
    bank = [WAITING];
    expect(await order()).toMatchObject({ code: "authentication_required" });
    await budgets.declineRequest((await order()).details[1].message);
    await lapse();
    expect(await stateOf(approvalId)).toBe("used");
    expect(await order()).not.toMatchObject({ success: true });
  });

  test("is found without generating as many keys as the order's own key names", async () => {
    const { plans, budgets, market, lapse, stateOf, buyAsPerson } = await approved({
      minutes: 120,
    });
    const order = () =>
      plans.orderPlan(market.planId, { idempotencyKey: "mine" }).catch((error) => error);
    const approvalId = (await order()).details[1].message;
    await budgets.approveRequest(approvalId);
    bank = [WAITING];
    expect(await order()).toMatchObject({ code: "authentication_required" });
    await buyAsPerson();
    // As earlier releases let callers name their orders.
    await database.query(
      "update orders set idempotency_key = 'top-up/x/9000000' where account = $1 and idempotency_key = 'mine'",
      [market.subscriber.address],
    );
    await lapse();
    expect(await stateOf(approvalId)).toBe("approved");
  });
});
