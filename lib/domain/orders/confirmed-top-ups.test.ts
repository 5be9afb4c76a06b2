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
const PAID: ChargeOutcome = { status: "paid", reference: "paid" };
const CANCELED: ChargeOutcome = { status: "refused", code: "canceled", message: "" };
const REFUSED = { cause: "authentication_required" };
type Payments = TestMarket["subscriber"]["payments"];
type Minted = { tokenId: string; delegationId: string };

describe.each(ruleStores())("top-ups that a bank has confirmed on $name", ({ open }) => {
  let database: Database;
  let replicas: [TestService, TestService];
  /** What the bank says of every payment. */
  let bank: ChargeOutcome;
  /** What comes of canceling one. */
  let cancel: () => Promise<ChargeOutcome>;

  beforeAll(async () => {
    database = await open();
    const start = () => {
      const rail = {
        ...createPretendRail(),
        charge: async () => bank,
        lookUp: async () => bank,
        abandon: () => cancel(),
      };
      return createTestService(database, { rails: [rail], secretKey: SECRET });
    };
    replicas = [start(), start()];
  });
  beforeEach(() => {
    bank = WAITING;
    cancel = async () => CANCELED;
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
    const limits = { spendingLimitCents: 250, durationSecs: 86_400 };
    const callsOf = async (replica: TestService, delegationConfig: object = limits) => {
      const minted = await subscriber.payments.x402.getX402AccessToken(planId, agentId, {
        redemptionLimit: 1000,
        delegationConfig,
      });
      return {
        ...createPermissionCalls(replica, { ...market, token: minted.accessToken }),
        minted,
      };
    };
    const one = await callsOf(replicas[0]);
    const { delegationId } = one.minted;
    /** Another token of the first delegation. */
    const sameOf = () => callsOf(replicas[1], { delegationId });
    return { market, one, other: await callsOf(replicas[1]), sameOf };
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
  const lapse = () => replicas[0].ports.clock.advance(CONFIRM_WITHIN_SECS + 1);

  test("one waits for each delegation, whichever tokens and replicas ask, and each call is told of the confirmation", async () => {
    const { market, one, other, sameOf } = await marketOfTwo();
    const askers = [one, other, await sameOf()];
    const crowd = Array.from({ length: CROWD }, (_, n) =>
      n % 2
        ? askers[n % 3]?.settle()
        : askers[n % 3]?.verify({ agentRequestId: freshId(), reserve: true }),
    );
    for (const answer of await Promise.all(crowd)) expect(answer?.body).toMatchObject(REFUSED);
    for (let n = 0; n < 4; n++) expect((await one.settle()).body).toMatchObject(REFUSED);
    expect((await other.verify()).body).toMatchObject({ isValid: false, ...REFUSED });
    expect(await statusesOf(market)).toEqual(["requires_action", "requires_action"]);
    expect(await reservedOf(market)).toEqual([{ cents: 200n }]);
  });

  test("another delegation orders meanwhile, for the same request too", async () => {
    const { market, one, other } = await marketOfTwo();
    const agentRequestId = freshId();
    expect((await one.settle({ agentRequestId })).body).toMatchObject(REFUSED);
    bank = PAID;
    expect((await one.verify()).body).toMatchObject({ isValid: false, ...REFUSED });
    expect((await other.verify()).body).toMatchObject({ isValid: true, needsOrder: true });
    expect((await other.settle({ agentRequestId })).body).toMatchObject({ success: true });
    expect((await one.settle()).body).toMatchObject({ success: true });
    expect(await statusesOf(market)).toEqual(["requires_action", "minted"]);
  });

  test("once it is confirmed, it pays for the calls", async () => {
    const { market, one, other } = await marketOfTwo();
    const agentRequestId = freshId();
    expect((await one.settle({ agentRequestId })).body).toMatchObject(REFUSED);
    bank = PAID;
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

  test("once it was declined, the next call orders anew", async () => {
    const { market, one, sameOf } = await marketOfTwo();
    expect((await one.settle()).body).toMatchObject(REFUSED);
    bank = { status: "refused", code: "do_not_honor", message: "" };
    await replicas[0].ports.clock.advance(31);
    await resolveOrders(replicas[0].ports);
    expect(await statusesOf(market)).toEqual(["declined"]);
    bank = PAID;
    expect((await (await sameOf()).settle()).body).toMatchObject({ success: true });
    expect(await statusesOf(market)).toEqual(["declined", "minted"]);
  });

  test.each([
    ["has expired", lapse],
    [
      "belongs to a revoked token",
      ({ subscriber }: TestMarket, tokenId: string) =>
        subscriber.payments.tokens.revokeToken(tokenId),
    ],
  ])("once it %s, a crowd orders once anew, which cancels it", async (_, end) => {
    const { market, one, sameOf } = await marketOfTwo();
    expect((await one.settle()).body).toMatchObject(REFUSED);
    await end(market, one.minted.tokenId);
    bank = PAID;
    const same = await sameOf();
    expect((await same.verify()).body).toMatchObject({ isValid: true, needsOrder: true });
    const crowd = Array.from({ length: 8 }, () => same.settle());
    for (const { body } of await Promise.all(crowd)) expect(body).toMatchObject({ success: true });
    expect(await statusesOf(market)).toEqual(["declined", "minted"]);
  });

  test("one that was confirmed in the last moment pays for the next call", async () => {
    const { market, one } = await marketOfTwo();
    expect((await one.settle()).body).toMatchObject(REFUSED);
    await lapse();
    cancel = async () => PAID;
    expect((await one.settle()).body).toMatchObject({ success: true });
    expect(await statusesOf(market)).toEqual(["minted"]);
  });

  test("nothing is ordered while the one before cannot be canceled", async () => {
    const { market, one } = await marketOfTwo();
    expect((await one.settle()).body).toMatchObject(REFUSED);
    await lapse();
    cancel = () => Promise.reject(new Error("The processor did not answer."));
    expect(await one.settle()).toMatchObject({ status: 503, body: { code: "outcome_unknown" } });
    expect(await statusesOf(market)).toEqual(["requires_action"]);
  });

  test.each([
    ["token", ({ tokens }: Payments, { tokenId }: Minted) => tokens.revokeToken(tokenId)],
    [
      "delegation",
      ({ delegation }: Payments, { delegationId }: Minted) =>
        delegation.revokeDelegation(delegationId),
    ],
  ])("revoking its %s cancels it", async (_, revoke) => {
    const { market, one } = await marketOfTwo();
    expect((await one.settle()).body).toMatchObject(REFUSED);
    await revoke(market.subscriber.payments, one.minted);
    await resolveOrders(replicas[1].ports);
    expect(await statusesOf(market)).toEqual(["declined"]);
    expect(await reservedOf(market)).toEqual([{ cents: 0n }]);
  });

  test("credits that the account buys itself meanwhile pay for its calls", async () => {
    const { market, one, other } = await marketOfTwo();
    expect((await one.settle()).body).toMatchObject(REFUSED);
    bank = PAID;
    await market.subscriber.payments.plans.orderPlan(market.planId);
    expect((await other.settle()).body).toMatchObject({ success: true });
    expect(await statusesOf(market)).toEqual(["requires_action"]);
  });
});
