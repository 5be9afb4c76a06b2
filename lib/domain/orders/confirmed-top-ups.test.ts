import { getErc20PriceConfig, getFixedCreditsConfig } from "@turnpike/payments/protocol";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { freshId } from "@/lib/server/testing/operation-samples.ts";
import { createPermissionCalls } from "@/lib/server/testing/permission-calls.ts";
import { createPretendRail } from "@/lib/server/testing/pretend-rail.ts";
import {
  createMarket,
  createTestService,
  type TestMarket,
  type TestService,
} from "@/lib/server/testing/test-service.ts";
import { inFull } from "@/lib/testing/in-full.ts";
import type { ChargeOutcome } from "./order-ports.ts";
import { CONFIRM_WITHIN_SECS, refreshOrder, resolveOrders } from "./resolve-orders.ts";

const CROWD = inFull(100, 20);
const RECEIVER = "0x000000000000000000000000000000000000dEaD";
const SECRET = new Uint8Array(32).fill(7);
const WAITING: ChargeOutcome = {
  status: "refused",
  code: "authentication_required",
  message: "The bank asks for a confirmation.",
  requiresAction: true,
};
const REFUSED = { cause: "authentication_required" };

describe.each(ruleStores())("top-ups that a bank has confirmed on $name", ({ open }) => {
  let database: Database;
  let replicas: [TestService, TestService];
  /** What the bank says of every payment. */
  let bank: ChargeOutcome;

  beforeAll(async () => {
    database = await open();
    const start = () => {
      const rail = {
        ...createPretendRail(),
        charge: async () => bank,
        lookUp: async () => bank,
        abandon: async (): Promise<ChargeOutcome> => ({
          status: "refused",
          code: "canceled",
          message: "",
        }),
      };
      return createTestService(database, { rails: [rail], secretKey: SECRET });
    };
    replicas = [start(), start()];
  });
  beforeEach(() => {
    bank = WAITING;
  });
  afterAll(async () => {
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  /** A plan of 1.00 for ten credits, and calls of one credit by two delegations of 2.50, one for each replica. */
  async function marketOfTwo() {
    const [service] = replicas;
    const usdc = [...service.ports.stableTokens.keys()][0] ?? "";
    const market = await createMarket(service, {
      price: getErc20PriceConfig(1_000_000n, usdc, RECEIVER),
      credits: getFixedCreditsConfig(10n, 1n),
      order: false,
    });
    const { subscriber, planId, agentId } = market;
    const mint = () =>
      subscriber.payments.x402.getX402AccessToken(planId, agentId, {
        redemptionLimit: 1000,
        delegationConfig: { spendingLimitCents: 250, durationSecs: 86_400 },
      });
    const callsOf = async (replica: TestService) => {
      const { accessToken: token } = await mint();
      return createPermissionCalls(replica, { ...market, token });
    };
    return { market, one: await callsOf(replicas[0]), other: await callsOf(replicas[1]) };
  }
  const ordersOf = ({ subscriber, planId }: TestMarket) =>
    database.query<{ id: string; status: string }>(
      "select order_id as id, status from orders where account = $1 and plan_id = $2 and jti is not null order by created_at",
      [subscriber.address, planId],
    );
  const statusesOf = async (market: TestMarket) =>
    (await ordersOf(market)).map(({ status }) => status);
  const reservedOf = ({ subscriber }: TestMarket) =>
    database.query<{ cents: bigint }>(
      "select sum(reserved_cents) as cents from delegations where account = $1",
      [subscriber.address],
    );

  test("one waits, whichever tokens and replicas ask, and each call is told of the confirmation", async () => {
    const { market, one, other } = await marketOfTwo();
    const crowd = Array.from({ length: CROWD }, (_, n) =>
      n % 2 ? one.settle() : other.verify({ agentRequestId: freshId(), reserve: true }),
    );
    for (const { body } of await Promise.all(crowd)) expect(body).toMatchObject(REFUSED);
    for (let n = 0; n < 4; n++) expect((await one.settle()).body).toMatchObject(REFUSED);
    expect((await other.verify()).body).toMatchObject({ isValid: false, ...REFUSED });
    expect(await statusesOf(market)).toEqual(["requires_action"]);
    expect(await reservedOf(market)).toEqual([{ cents: 100n }]);
  });

  test("once it is confirmed, it pays for the calls", async () => {
    const { market, one, other } = await marketOfTwo();
    const agentRequestId = freshId();
    expect((await one.settle({ agentRequestId })).body).toMatchObject(REFUSED);
    bank = { status: "paid", reference: "paid" };
    const [order] = await ordersOf(market);
    await refreshOrder(replicas[1].ports, order?.id ?? "");
    expect((await one.settle({ agentRequestId })).body).toMatchObject({ success: true });
    for (let n = 0; n < 9; n++)
      expect((await other.settle()).body).toMatchObject({ success: true });
    expect(await statusesOf(market)).toEqual(["minted"]);
    bank = WAITING;
    expect((await other.settle()).body).toMatchObject(REFUSED);
    expect(await statusesOf(market)).toEqual(["minted", "requires_action"]);
  });

  test.each([
    ["was declined", 31],
    ["has lapsed", CONFIRM_WITHIN_SECS + 1],
  ])("once it %s, the next call orders anew", async (_, secs) => {
    const { market, one, other } = await marketOfTwo();
    expect((await one.settle()).body).toMatchObject(REFUSED);
    if (secs < CONFIRM_WITHIN_SECS) bank = { status: "refused", code: "do_not_honor", message: "" };
    await replicas[0].ports.clock.advance(secs);
    await resolveOrders(replicas[0].ports);
    expect(await statusesOf(market)).toEqual(["declined"]);
    bank = { status: "paid", reference: "paid" };
    expect((await other.settle()).body).toMatchObject({ success: true });
    expect(await statusesOf(market)).toEqual(["declined", "minted"]);
  });

  test("credits that the account buys itself meanwhile pay for its calls", async () => {
    const { market, one, other } = await marketOfTwo();
    expect((await one.settle()).body).toMatchObject(REFUSED);
    bank = { status: "paid", reference: "paid" };
    await market.subscriber.payments.plans.orderPlan(market.planId);
    expect((await other.settle()).body).toMatchObject({ success: true });
    expect(await statusesOf(market)).toEqual(["requires_action"]);
  });
});
