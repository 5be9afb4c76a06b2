import {
  getFixedCreditsConfig,
  type PlanPriceConfig,
  ZERO_ADDRESS,
} from "@turnpike/payments/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { createPermissionCalls } from "@/lib/server/testing/permission-calls.ts";
import {
  createTestService,
  type TestParty,
  type TestService,
} from "@/lib/server/testing/test-service.ts";
import { listOrders } from "../figures/holdings.ts";
import { applyOutcome } from "../orders/apply-outcome.ts";
import { refreshOrder } from "../orders/resolve-orders.ts";
import { getX402AccessToken } from "../tokens/access-tokens.ts";
import { type CashRail, createCashRail } from "./cash-rail.ts";

const RECEIVER = "0x000000000000000000000000000000000000dEaD";
const ENDPOINT = "https://agent.example/ask";

const idOf = (n: number) => `request-of-cash-${n}`;

const inCash = (amount: bigint): PlanPriceConfig => ({
  tokenAddress: ZERO_ADDRESS,
  contractAddress: ZERO_ADDRESS,
  feeController: ZERO_ADDRESS,
  externalPriceAddress: ZERO_ADDRESS,
  templateAddress: ZERO_ADDRESS,
  isCrypto: false,
  currency: "CASH",
  amounts: [amount],
  receivers: [RECEIVER],
});

describe.each(ruleStores())("a rail of one folder on $name", ({ open }) => {
  let database: Database;
  let service: TestService;
  let rail: CashRail;
  let builder: TestParty;
  let subscriber: TestParty;
  let planId: string;

  beforeAll(async () => {
    database = await open();
    rail = createCashRail();
    service = createTestService(database, { rails: [rail] });
    [builder, subscriber] = await Promise.all([service.party(), service.party()]);
    ({ planId } = await builder.payments.plans.registerCreditsPlan(
      { name: "Coins" },
      inCash(2_000_000n),
      getFixedCreditsConfig(3n, 1n),
    ));
  });
  afterAll(async () => {
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  const balance = async () =>
    (await subscriber.payments.plans.getPlanBalance(planId, subscriber.address)).balance;
  const payables = () => database.query("select kind, amount::text from payables order by id", []);

  test("its plans carry its scheme, and its own price rule applies", async () => {
    expect(await builder.payments.plans.getPlan(planId)).toMatchObject({ scheme: "svc:cash" });
    const half = builder.payments.plans.registerCreditsPlan(
      { name: "Half a coin" },
      inCash(500_000n),
      getFixedCreditsConfig(1n, 1n),
    );
    await expect(half).rejects.toMatchObject({ code: "invalid_input" });
  });

  test("a plan is ordered, a token minted, a request verified and settled, and topped up", async () => {
    const order = await subscriber.payments.plans.orderPlan(planId);
    expect(order).toMatchObject({ success: true });
    expect(await balance()).toBe(3n);
    const { agentId } = await builder.payments.agents.registerAgent(
      { name: "Reader" },
      { endpoints: [{ POST: ENDPOINT }], agentDefinitionUrl: ENDPOINT },
      [planId],
    );
    const { accessToken: token, tokenId } = await getX402AccessToken(subscriber.context, {
      accepted: { planId, extra: { agentId } },
      delegationConfig: { spendingLimitCents: 1_000n, durationSecs: 600 },
    });
    const requirement = {
      x402Version: 2 as const,
      resource: { url: ENDPOINT },
      accepts: [{ scheme: rail.scheme, planId, extra: { agentId, httpVerb: "POST" } }],
    };
    const market = { builder, subscriber, planId, agentId, endpoint: ENDPOINT, token, tokenId };
    const { verify, settle } = createPermissionCalls(service, market);
    const verified = await verify({ requirement, reserve: true, agentRequestId: idOf(1) });
    expect(verified.body).toMatchObject({ isValid: true, scheme: "svc:cash", network: "counter" });
    const settled = await settle({ requirement, agentRequestId: idOf(1) });
    if (!settled.body.success) throw new Error("The first request was refused.");
    const { settlementId } = settled.body.extra;
    expect(settled.body).toMatchObject({ success: true, transaction: `slip_${settlementId}` });
    expect(await service.ports.receipts.find(settlementId)).toMatchObject({
      scheme: "svc:cash",
      transaction: `slip_${settlementId}`,
    });
    for (const n of [2, 3]) await settle({ requirement, agentRequestId: idOf(n) });
    expect((await settle({ requirement, agentRequestId: idOf(4) })).body).toMatchObject({
      success: true,
      orderTx: `cash_${rail.paid()[1]?.orderId}`,
    });
    expect(rail.paid()).toHaveLength(2);
  });

  test("a paid order is refunded: its credits and the builder's money go back", async () => {
    const before = await payables();
    const { orderId } = await subscriber.payments.plans.orderPlan(planId);
    const order = await service.ports.orders.find(orderId);
    if (!order) throw new Error("The order is gone.");
    await rail.refund?.(order);
    expect(await refreshOrder(service.ports, orderId)).toMatchObject({ status: "refunded" });
    const after = await payables();
    expect(after.slice(before.length)).toEqual([
      { kind: "earned", amount: "2000000" },
      { kind: "reversed", amount: "2000000" },
    ]);
  });

  test("a payment that arrives after its order was declined is handed back", async () => {
    rail.setEnding("refuse");
    await expect(subscriber.payments.plans.orderPlan(planId)).rejects.toMatchObject({
      code: "payment_refused",
    });
    rail.setEnding("pay");
    const { items } = await listOrders(subscriber.context, {
      status: "declined",
      withoutTopUps: false,
    });
    const declined = await service.ports.orders.find(items[0]?.orderId ?? "");
    if (!declined) throw new Error("The order is gone.");
    await rail.charge(declined, {} as never, null);
    const paid = { status: "paid", reference: null } as const;
    const { order } = await applyOutcome(service.ports, declined, paid);
    expect(order).toMatchObject({ status: "declined", refundState: "done" });
  });
});
