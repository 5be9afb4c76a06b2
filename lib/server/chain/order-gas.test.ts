import { randomBytes } from "node:crypto";
import {
  getCryptoPriceConfig,
  getFixedCreditsConfig,
  type InputOf,
} from "@turnpike/payments/protocol";
import {
  createTestClient,
  custom,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  type TransactionReceipt,
  toHex,
  zeroAddress,
  zeroHash,
} from "viem";
import { privateKeyToAddress } from "viem/accounts";
import { expect, test } from "vitest";
import { factoryAbi } from "@/lib/adapters/chain/abis.ts";
import { TransactionRefused } from "@/lib/adapters/chain/bundler/transaction-sender.ts";
import { meterGas, ORDER_GAS } from "@/lib/adapters/chain/order-budget.ts";
import { pollUntil } from "@/lib/adapters/chain/poll.ts";
import { createChainOrders } from "@/lib/adapters/db/chain/chain-orders.ts";
import { resolveOrders } from "@/lib/domain/orders/resolve-orders.ts";
import { shareChainService } from "../testing/shared-chain-service.ts";
import type { TestParty } from "../testing/test-service.ts";

const LIMITS = { gasPerAccount: 6 * ORDER_GAS, gasPerPlan: 6 * ORDER_GAS, floorCents: 1n };

const at = shareChainService(LIMITS);

const RECEIVERS = Array.from({ length: 16 }, () => privateKeyToAddress(toHex(randomBytes(32))));
type Price = InputOf<"registerCreditsPlan">["priceConfig"];
const priceOf = (tokenAddress: string, each: bigint): Price => ({
  isCrypto: true,
  tokenAddress,
  amounts: RECEIVERS.map(() => each),
  receivers: RECEIVERS,
});

const register = (seller: TestParty, price: Price) =>
  seller.payments.plans.registerCreditsPlan(
    { name: "Costly" },
    price,
    getFixedCreditsConfig(10n, 1n),
  );

/** The order's status, or the code of its refusal. */
async function orderOf(
  { payments }: TestParty,
  planId: string,
  under?: { delegationId: string },
): Promise<string> {
  try {
    return (await payments.plans.orderPlan(planId, under)).status;
  } catch (error) {
    return (error as { details: { message: string }[] }).details[0]?.message ?? String(error);
  }
}

/** Gas of the settler's transactions. */
async function gasOf(act: () => Promise<unknown>): Promise<number> {
  const { client, sender } = at.service.onChain.operator;
  const first = await client.getBlockNumber();
  await act();
  const last = await client.getBlockNumber();
  let sum = 0;
  for (let blockNumber = first + 1n; blockNumber <= last; blockNumber += 1n) {
    const { transactions } = await client.getBlock({ blockNumber, includeTransactions: true });
    for (const { from, hash } of transactions)
      if (from.toLowerCase() === sender.address.toLowerCase())
        sum += Number((await client.getTransactionReceipt({ hash })).gasUsed);
  }
  return sum;
}

/** A token that has any balance, takes any transfer where the gas price is 0, as in a simulation, and uses up its gas elsewhere. */
const TOKEN = [
  "60003560e01c6370a0823114602057",
  "3a15601557fe",
  "5b600160005260206000f3",
  "5b6000196000526020",
  "6000f3",
].join("");
const TOKEN_CREATION = `0x60${(TOKEN.length / 2).toString(16)}80600b6000396000f3${TOKEN}` as Hex;

async function deployHostileToken(): Promise<string> {
  const { deployment, onChain } = at.service;
  const from = deployment.smartAccountFactory;
  const args = [TOKEN_CREATION, zeroHash] as const;
  const data = encodeFunctionData({ abi: factoryAbi, functionName: "deploy", args });
  await onChain.operator.sender.send({ to: from, gas: 500_000n, data });
  const bytecode = TOKEN_CREATION;
  return getContractAddress({ opcode: "CREATE2", from, salt: zeroHash, bytecode });
}

test("T48: orders that fail on chain use up their account's gas of the day as paid ones do, and not their plan's", async () => {
  const [seller, buyer, other] = await Promise.all([
    at.service.party({ isFunded: false }),
    at.service.party({ isFunded: false }),
    at.service.party({ isFunded: false }),
  ]);
  const { planId } = await register(seller, priceOf(await deployHostileToken(), 1n));
  const outcomes: string[] = [];
  const gas = await gasOf(async () => {
    for (let n = 0; n < 4; n += 1) outcomes.push(await orderOf(buyer, planId));
  });
  expect(gas).toBeGreaterThan(ORDER_GAS);
  // It may pass the limit by what the last one takes more than an order counts for beforehand.
  expect(gas).toBeLessThan(LIMITS.gasPerAccount + 2 * ORDER_GAS);
  expect(outcomes.at(0)).toBe("failed");
  expect(outcomes.slice(-2)).toEqual(["gas_budget", "gas_budget"]);
  // Nothing was paid, so the plan's others are not barred.
  expect(await orderOf(other, planId)).toBe("failed");
  await at.service.ports.clock.advance(25 * 3_600);
  expect(await orderOf(buyer, planId)).toBe("failed");
});

test("T48: an account without the money has nothing sent, also for a plan that was never sold", async () => {
  const [seller, buyer] = await Promise.all([
    at.service.party({ isFunded: false }),
    at.service.party({ isFunded: false }),
  ]);
  const { planId } = await register(seller, priceOf(at.service.usdc, 10_000n));
  const gas = await gasOf(async () => {
    expect(await orderOf(buyer, planId)).toBe("insufficient_funds");
    await seller.payments.plans.updatePlan(planId, {
      priceConfig: priceOf(at.service.usdc, 10_001n),
    });
    expect(await orderOf(buyer, planId)).toBe("insufficient_funds");
  });
  expect(gas).toBe(0);
});

test("T48: what an order has registered counts for the account that ordered it", async () => {
  const [seller, buyer] = await Promise.all([
    at.service.party({ isFunded: false }),
    at.service.party(),
  ]);
  const { planId } = await register(seller, priceOf(at.service.usdc, 10_000n));
  const outcomes: string[] = [];
  const gas = await gasOf(async () => {
    for (let n = 0; n < 5; n += 1) {
      const priceConfig = priceOf(at.service.usdc, 10_001n + BigInt(n));
      await seller.payments.plans.updatePlan(planId, { priceConfig });
      outcomes.push(await orderOf(buyer, planId));
    }
  });
  expect(outcomes[0]).toBe("minted");
  expect(outcomes.at(-1)).toBe("gas_budget");
  expect(gas).toBeLessThan(LIMITS.gasPerAccount + 3 * ORDER_GAS);
});

/** While the settler has no coin. */
async function withoutCoin(act: () => Promise<void>): Promise<void> {
  const { client, sender } = at.service.onChain.operator;
  const { address } = sender;
  const had = await client.getBalance({ address });
  const chain = createTestClient({ mode: "anvil", transport: custom(client) });
  await chain.setBalance({ address, value: 0n });
  await act().finally(() => chain.setBalance({ address, value: had }));
}

test("T48: an order for which nothing could be sent counts once while it is open, and nothing once it ended", async () => {
  const [seller, buyer] = await Promise.all([
    at.service.party({ isFunded: false }),
    at.service.party(),
  ]);
  const { planId } = await seller.payments.plans.registerCreditsPlan(
    { name: "Unsent" },
    getCryptoPriceConfig(10_000n, seller.address, at.service.usdc),
    getFixedCreditsConfig(10n, 1n),
  );
  const { gasOfDay } = createChainOrders(at.database);
  const counted = async () =>
    (await gasOfDay({ account: buyer.address, planId }, ORDER_GAS)).byAccount;
  await withoutCoin(async () => {
    for (let n = 1; n <= 6; n += 1) {
      expect(await orderOf(buyer, planId)).toBe("charging");
      expect(await counted()).toBe(n * ORDER_GAS);
    }
    expect(await orderOf(buyer, planId)).toBe("gas_budget");
    await at.service.ports.clock.advance(60);
    await resolveOrders(at.service.ports);
    expect(await counted()).toBe(6 * ORDER_GAS);
  });
  await at.service.ports.clock.advance(15 * 60);
  await resolveOrders(at.service.ports);
  expect(await counted()).toBe(0);
  expect(await orderOf(buyer, planId)).toBe("minted");
});

test("T48: orders that waited for gas of the settler are sent within their account's gas of the day", async () => {
  const [seller, buyer] = await Promise.all([
    at.service.party({ isFunded: false }),
    at.service.party({ isFunded: false }),
  ]);
  const { planId } = await register(seller, priceOf(await deployHostileToken(), 1n));
  const first: string[] = [];
  await withoutCoin(async () => {
    for (let n = 0; n < 5; n += 1) first.push(await orderOf(buyer, planId));
  });
  expect(first.at(0)).toBe("charging");
  expect(first.at(-1)).toBe("gas_budget");
  await at.service.ports.clock.advance(60);
  const gas = await gasOf(() => resolveOrders(at.service.ports));
  expect(gas).toBeGreaterThan(ORDER_GAS);
  expect(gas).toBeLessThan(LIMITS.gasPerAccount + 2 * ORDER_GAS);
  const open = "select 1 from orders where account = $1 and status = 'charging'";
  expect(await at.database.query(open, [buyer.address])).toEqual([]);
});

test("T48: what one replica has sent for an order still counts when another one's attempt sends nothing", async () => {
  const [seller, buyer] = await Promise.all([
    at.service.party({ isFunded: false }),
    at.service.party(),
  ]);
  const { planId } = await register(seller, priceOf(at.service.usdc, 10_000n));
  await withoutCoin(async () => expect(await orderOf(buyer, planId)).toBe("charging"));
  const [row] = await at.database.query<{ id: string }>(
    "select order_id as id from orders where account = $1",
    [buyer.address],
  );
  const orderId = row?.id ?? "";
  const orders = createChainOrders(at.database);
  const ends: ((outcome: "sent" | "refused") => void)[] = [];
  const sender = meterGas(
    {
      ...at.service.onChain.operator.sender,
      send: () =>
        new Promise((sent, failed) => {
          ends.push((outcome) =>
            outcome === "sent"
              ? sent({ gasUsed: 700_000n } as TransactionReceipt)
              : failed(new TransactionRefused("Nothing was sent.")),
          );
        }),
    },
    (more) => orders.addGas(orderId, more),
  );
  const request = { to: zeroAddress, data: "0x", gas: 900_000n } as const;
  const both = Promise.allSettled([sender.send(request), sender.send(request)]);
  await pollUntil(async () => ends.length === 2 || undefined, { timeoutMs: 5_000 });
  expect(await orders.find(orderId)).toMatchObject({ gas: 2 });
  expect(await orders.refuseUnsent(orderId)).toBe(false);
  ends[1]?.("sent");
  ends[0]?.("refused");
  await both;
  expect(await orders.find(orderId)).toMatchObject({ gas: 700_000 });
});

test("T48: a delegation under which nothing was sent is revoked by erasing its keys, and a used one on chain", async () => {
  const [seller, buyer] = await Promise.all([
    at.service.party({ isFunded: false }),
    at.service.party(),
  ]);
  const { onChain } = at.service;
  const { planId } = await seller.payments.plans.registerCreditsPlan(
    { name: "Revoked" },
    getCryptoPriceConfig(10_000n, seller.address, at.service.usdc),
    getFixedCreditsConfig(10n, 1n),
  );
  const order = async () => {
    const { delegationId } = await buyer.payments.delegation.createDelegation({
      provider: "erc4337",
      spendingLimitCents: 100n,
      durationSecs: 3_600,
      planIds: [planId],
    });
    return { delegationId, outcome: await orderOf(buyer, planId, { delegationId }) };
  };
  /** The gas it takes until the delegation's grants are revoked, and how many of them have a key then. */
  const revoke = async (delegationId: string) => {
    const gas = await gasOf(async () => {
      await buyer.payments.delegation.revokeDelegation(delegationId);
      await pollUntil(
        async () => {
          await onChain.revoke();
          const sql =
            "select 1 from chain_grants where delegation_id = $1 having count(*) > 0 and bool_and(revoked_at is not null)";
          return (await at.database.query(sql, [delegationId])).length > 0 || undefined;
        },
        { timeoutMs: 30_000 },
      );
    });
    const sql = "select 1 from chain_grants where delegation_id = $1 and session_key <> ''";
    return { gas, keys: (await at.database.query(sql, [delegationId])).length };
  };
  await onChain.pauseOrders(true);
  // The first one registers the plan.
  await order();
  const unused = await order();
  expect(unused.outcome).toBe("paused");
  expect(await revoke(unused.delegationId)).toEqual({ gas: 0, keys: 0 });
  await onChain.pauseOrders(false);
  const used = await order();
  expect(used.outcome).toBe("minted");
  expect(await revoke(used.delegationId)).toEqual({ gas: expect.any(Number), keys: 1 });
});
