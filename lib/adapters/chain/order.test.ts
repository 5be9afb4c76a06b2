import { parseEther, zeroAddress } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { longTest } from "@/lib/testing/in-full.ts";
import { tokenAbi } from "./abis.ts";
import { createTransactionSender, TransactionUnknown } from "./bundler/transaction-sender.ts";
import { type ChainClient, createChainClient } from "./chain-client.ts";
import type { GrantTerms } from "./grants/grant.ts";
import { findEndedOrder, orderOnChain } from "./order.ts";
import { describeRefusal } from "./order-refusals.ts";
import { type ChainFixture, startChainFixture, testKey } from "./testing/chain-fixture.ts";
import { limited, mineBeyondLimit } from "./testing/limited-node.ts";

let f: ChainFixture;
const receivers = ["receiver a", "receiver b"].map(
  (name) => privateKeyToAccount(testKey(name)).address,
);
const PRICE = 4_000_000n;

beforeAll(async () => {
  f = await startChainFixture();
});
afterAll(async () => {
  await f.stop();
});

const tokenPlan = () => f.registerPlan({ token: f.usdc, amounts: [PRICE - 1n, 1n], receivers });
async function buyer(name: string, money: bigint, terms: Partial<GrantTerms> = {}) {
  const made = await f.createGrant(name, { orderLimit: 100_000_000n, ...terms });
  if (money > 0n) await f.write(f.usdc, tokenAbi, "faucet", [made.account.address, money]);
  return made;
}
type Buyer = Awaited<ReturnType<typeof buyer>>;
const order = (
  who: Buyer,
  planId: bigint,
  orderId: string,
  payment = { token: f.usdc, total: PRICE },
) => orderOnChain({ ...f, ...who, planId, orderId, payment });

describe("an order on chain", () => {
  test("pays every receiver and mints the credits, and its transaction can be looked up", async () => {
    const planId = await tokenPlan();
    const who = await buyer("ann", PRICE);
    const before = await Promise.all(receivers.map((address) => f.money(address)));
    const outcome = await order(who, planId, "order-1");
    if (outcome.status !== "paid") throw new Error(JSON.stringify(outcome));
    const receipt = await f.client.getTransactionReceipt({ hash: outcome.transaction });
    expect(receipt.status).toBe("success");
    const after = await Promise.all(receivers.map((address) => f.money(address)));
    expect(after.map((money, index) => money - (before[index] ?? 0n))).toEqual([PRICE - 1n, 1n]);
    expect(await f.credits(who.account.address, planId)).toBe(100n);
  });

  test("is paid once however often it is requested, in sequence or concurrently", async () => {
    const planId = await tokenPlan();
    const who = await buyer("bob", 10n * PRICE);
    const first = await order(who, planId, "order-2");
    expect(await order(who, planId, "order-2")).toEqual(first);
    const together = await Promise.all(
      Array.from({ length: 5 }, () => order(who, planId, "order-3")),
    );
    expect(new Set(together.map((outcome) => JSON.stringify(outcome))).size).toBe(1);
    expect(together[0]?.status).toBe("paid");
    expect(await f.money(who.account.address)).toBe(8n * PRICE);
    expect(await f.credits(who.account.address, planId)).toBe(200n);
  });

  test("of a free plan mints without payment, for an account that did not exist yet", async () => {
    const planId = await f.registerPlan();
    const who = await buyer("free-rider", 0n);
    const outcome = await order(who, planId, "order-4", { token: zeroAddress, total: 0n });
    expect(outcome.status).toBe("paid");
    expect(await f.credits(who.account.address, planId)).toBe(100n);
  });

  test("is paid in the chain's own coin when the plan says so", async () => {
    const planId = await f.registerPlan({
      amounts: [parseEther("1")],
      receivers: receivers.slice(0, 1),
    });
    const who = await buyer("native", 0n, { orderToken: zeroAddress, orderLimit: parseEther("5") });
    const payment = { token: zeroAddress, total: parseEther("1") };
    expect(await order(who, planId, "order-5", payment)).toMatchObject({
      status: "refused",
      reason: "insufficient_funds",
    });
    await f.chain.fund(who.account.address, parseEther("1"));
    expect(await order(who, planId, "order-5", payment)).toMatchObject({ status: "paid" });
    expect(await f.client.getBalance({ address: who.account.address })).toBe(0n);
  });

  test("is refused for insufficient funds, a wrong token, a changed price and an unknown plan, and takes nothing", async () => {
    const planId = await tokenPlan();
    const who = await buyer("carl", PRICE - 1n);
    expect(await order(who, planId, "o")).toMatchObject({
      status: "refused",
      reason: "insufficient_funds",
    });
    const wrong = { token: zeroAddress, total: PRICE };
    expect(await order(who, planId, "o", wrong)).toMatchObject({
      status: "refused",
      reason: "wrong_token",
    });
    const cheap = { token: f.usdc, total: 1n };
    expect(await order(who, planId, "o", cheap)).toMatchObject({
      status: "refused",
      reason: "price_changed",
    });
    expect(await order(who, 999_999n, "o")).toMatchObject({
      status: "refused",
      reason: "plan_unknown",
    });
    expect(await f.money(who.account.address)).toBe(PRICE - 1n);
    await f.write(f.usdc, tokenAbi, "faucet", [who.account.address, 1n]);
    expect(await order(who, planId, "o")).toMatchObject({ status: "paid" });
  });

  test("is refused while orders are paused and goes through afterwards", async () => {
    const planId = await tokenPlan();
    const who = await buyer("dora", PRICE);
    await f.administer("pause");
    expect(await order(who, planId, "paused")).toMatchObject({
      status: "refused",
      reason: "paused",
    });
    await f.administer("unpause");
    expect(await order(who, planId, "paused")).toMatchObject({ status: "paid" });
  });

  test("is refused beyond the grant's limit, plan, permission and end", async () => {
    const planId = await tokenPlan();
    const refuse = async (name: string, terms: Partial<GrantTerms>) => {
      const outcome = await order(await buyer(name, PRICE, terms), planId, name);
      return outcome.status === "refused" ? outcome.reason : outcome.status;
    };
    expect(await refuse("limit", { orderLimit: PRICE - 1n })).toBe("limit_exceeded");
    expect(await refuse("plan", { plans: [planId + 1_000n] })).toBe("not_permitted");
    expect(await refuse("burn-only", { permissions: ["burn"] })).toBe("not_permitted");
    expect(await refuse("over", { validUntil: 1_700_000_000 })).toBe("grant_ended");
    expect(await refuse("token", { orderToken: zeroAddress })).toBe("wrong_token");
  });

  longTest(
    "that was paid long ago is found at a node that limits how many blocks one request spans",
    async () => {
      const planId = await tokenPlan();
      const who = await buyer("away for long", PRICE);
      const sinceBlock = await f.client.getBlockNumber();
      const first = await order(who, planId, "long ago");
      await mineBeyondLimit(f.client);
      const payment = { token: f.usdc, total: PRICE };
      const client = limited(f.client);
      const again = { ...f, ...who, client, planId, orderId: "long ago", payment, sinceBlock };
      expect(await orderOnChain(again)).toEqual(first);
    },
    60_000,
  );

  describe("whose first attempt was sent and not included in time", () => {
    /** The chain mines nothing more, and holds the order's transaction. */
    async function pending(name: string) {
      const planId = await tokenPlan();
      const who = await buyer(name, PRICE);
      await setMining(false);
      const settler = privateKeyToAccount(f.settlerKey);
      const sender = createTransactionSender({ client: f.client, settler, replaceAfterMs: 20 });
      const payment = { token: f.usdc, total: PRICE };
      const attempt = { ...f, ...who, planId, orderId: name, payment };
      await expect(orderOnChain({ ...attempt, sender })).rejects.toThrow(TransactionUnknown);
      return { ...attempt, wasTried: true };
    }
    const setMining = (isOn: boolean) =>
      f.client.request({ method: "evm_setAutomine", params: [isOn] } as never);
    const mine = async () => {
      await f.client.request({ method: "anvil_mine", params: ["0x1"] } as never);
      await setMining(true);
    };
    /** The chain, as it answers how much money the account has. */
    const reading = (balance: () => Promise<bigint>): ChainClient => ({
      ...f.client,
      readContract: (async (call: { functionName: string }) =>
        call.functionName === "balanceOf"
          ? balance()
          : f.client.readContract(call as never)) as ChainClient["readContract"],
    });

    test("is paid when that was included while it was looked at again", async () => {
      const attempt = await pending("overtaking");
      const client = reading(async () => {
        await mine();
        return f.money(attempt.account.address);
      });
      expect(await orderOnChain({ ...attempt, client })).toMatchObject({ status: "paid" });
      expect(await f.credits(attempt.account.address, attempt.planId)).toBe(100n);
    });

    test("stays unknown while that can still be included, whatever the chain says now", async () => {
      const attempt = await pending("undecided");
      const client = reading(async () => 0n);
      await expect(orderOnChain({ ...attempt, client })).rejects.toThrow("can still be included");
      await mine();
      expect(await orderOnChain({ ...attempt, client })).toMatchObject({ status: "paid" });
    });

    longTest(
      "stays unknown after a change of the settler's key, while that can still be included",
      async () => {
        const attempt = await pending("key change");
        const client = reading(async () => 0n);
        const settler = privateKeyToAccount(testKey("next settler"));
        const sender = createTransactionSender({ client, settler, replaceAfterMs: 20 });
        const listSettlers = async () => [
          { address: f.sender.address, until: new Date(Date.now() + 60_000) },
          { address: settler.address, until: null },
        ];
        const again = { ...attempt, client, sender, listSettlers };
        await expect(orderOnChain(again)).rejects.toThrow("can still be included");
        await mine();
        expect(await orderOnChain(again)).toMatchObject({ status: "paid" });
      },
    );

    test("does not wait for a transaction of a key that was replaced before it was made", async () => {
      const { client, grant, sessionKey, account } = await pending("stuck at the old key");
      const settler = privateKeyToAccount(testKey("next settler"));
      const sender = createTransactionSender({ client, settler, replaceAfterMs: 20 });
      const orderedAt = new Date();
      const listSettlers = async () => [
        { address: f.sender.address, until: new Date(orderedAt.getTime() - 1) },
        { address: settler.address, until: null },
      ];
      const later = { client, deployment: f.deployment, sender, grant, sessionKey, account };
      expect(
        await findEndedOrder({ ...later, orderId: "later", orderedAt, listSettlers }),
      ).toBeUndefined();
      await mine();
    });
  });

  test("throws when the chain does not answer, because the outcome is unknown", async () => {
    const planId = await tokenPlan();
    const who = await buyer("eve", PRICE);
    const client = createChainClient({
      rpcUrl: "http://127.0.0.1:1",
      chainId: 84532,
      timeoutMs: 300,
    });
    const sender = createTransactionSender({ client, settler: privateKeyToAccount(f.settlerKey) });
    await expect(
      orderOnChain({
        ...f,
        ...who,
        client,
        sender,
        planId,
        orderId: "x",
        payment: { token: f.usdc, total: PRICE },
      }),
    ).rejects.toThrow();
    expect(await f.money(who.account.address)).toBe(PRICE);
  });
});

test("a refusal keeps a detail that is a sentence, and drops the rest", () => {
  const advice = describeRefusal("paused", "");
  expect(describeRefusal("paused", "The sale is closed.")).toBe(`The sale is closed. ${advice}`);
  for (const detail of ["Paused()", "Paused.", "execution reverted.", "The sale is closed"]) {
    expect(describeRefusal("paused", detail)).toBe(advice);
  }
});

test("a detail of 100 KB is read in less than 50 ms of processor time, whatever a contract wrote into it", () => {
  for (const detail of [
    `A${" ".repeat(100_000)}`,
    `A${" x".repeat(50_000)}`,
    "A".repeat(100_000),
  ]) {
    const start = process.cpuUsage();
    describeRefusal("failed", detail);
    expect(process.cpuUsage(start).user / 1_000).toBeLessThan(50);
  }
});
