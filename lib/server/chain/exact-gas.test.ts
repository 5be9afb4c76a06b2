import { randomBytes } from "node:crypto";
import { createGate, createMemoryQueue } from "@turnpike/payments/gate";
import {
  buildPaymentRequired,
  decodePaymentRequired,
  encodeHeader,
  getCryptoPriceConfig,
  getFixedCreditsConfig,
  isExactOffer,
} from "@turnpike/payments/protocol";
import {
  encodeFunctionData,
  getContractAddress,
  type Hex,
  serializeErc6492Signature,
  toHex,
  zeroHash,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { expect, test } from "vitest";
import { factoryAbi } from "@/lib/adapters/chain/abis.ts";
import { authorizationTypedData } from "@/lib/adapters/chain/exact/transfer-calls.ts";
import { giveTestDollars } from "@/lib/adapters/chain/operator.ts";
import { smartAccount, smartAccountCreation } from "@/lib/adapters/chain/smart-account.ts";
import { addSponsoredGas } from "@/lib/adapters/db/chain/sponsored-gas.ts";
import { shareChainService } from "../testing/shared-chain-service.ts";
import { createMarket } from "../testing/test-service.ts";

/** Less than what four captures of a wallet that is created by them may use. */
const LIMITS = {
  gasPerAccount: 2_400_000,
  gasPerPlan: 3_600_000,
  expectedGasPerDay: 10 ** 9,
  floorCents: 1n,
};

const at = shareChainService(LIMITS);

type Sign = (offer: { payTo: string; amount: string }) => Promise<Payment>;
type Payment = { payer: Hex; nonce: Hex; signature: Hex };

/** An agent of a new seller with a price per call. */
async function sell() {
  const { payments } = await at.service.party({ isFunded: false });
  const agent = { calls: 0 };
  const options = { queue: createMemoryQueue(), report: false };
  const gate = createGate(payments, { "POST /ask": { price: "$0.05" } }, options);
  const call = (headers: Record<string, string> = {}) =>
    gate(new Request("https://agent.test/ask", { method: "POST", body: "{}", headers }), () => {
      agent.calls += 1;
      return Response.json({});
    });
  const required = decodePaymentRequired((await call()).headers.get("payment-required") ?? "");
  const accepted = required?.accepts.find(isExactOffer);
  if (!accepted?.payTo || !accepted.amount) throw new Error("No offer by exact.");
  const { payTo, amount } = accepted;
  const pay = async (sign: Sign) => {
    const { payer: from, nonce, signature } = await sign({ payTo, amount });
    const times = { validAfter: "0", validBefore: "4000000000" };
    const authorization = { from, to: payTo, value: amount, ...times, nonce };
    const payment = { x402Version: 2, accepted, payload: { signature, authorization } };
    return (await call({ "payment-signature": encodeHeader(payment) })).status;
  };
  return Object.assign(agent, { pay });
}

/** A smart wallet with money, whose signatures name what creates it. */
async function openWallet(): Promise<Sign> {
  const { deployment, onChain } = at.service;
  const owner = privateKeyToAccount(toHex(randomBytes(32)));
  const account = smartAccount({ deployment, owner: owner.address });
  const { to: address, data } = smartAccountCreation({ deployment, account });
  await giveTestDollars(onChain.operator, { account: account.address, amount: 1_000_000n });
  return async ({ payTo, amount }) => {
    const nonce = toHex(randomBytes(32));
    const times = { validAfter: 0n, validBefore: 4_000_000_000n };
    const payer = account.address;
    const signed = { payer, asset: at.service.usdc, payTo, value: BigInt(amount), ...times, nonce };
    const signature = await owner.signTypedData(
      authorizationTypedData(
        { id: "", signature: "", ...signed },
        { name: "USDC", version: "2", chainId: deployment.chainId },
      ),
    );
    return { payer, nonce, signature: serializeErc6492Signature({ address, data, signature }) };
  };
}

/** `isValidSignature` says yes where the gas price is 0, as in a simulation, and uses up its gas elsewhere. */
const HOSTILE = "3a15600657fe5b631626ba7e60e01b60005260206000f3";
const HOSTILE_CREATION =
  `0x60${(HOSTILE.length / 2).toString(16)}80600b6000396000f3${HOSTILE}` as Hex;

async function openHostileWallet(): Promise<Sign> {
  const { deployment, onChain } = at.service;
  const from = deployment.smartAccountFactory;
  const bytecode = HOSTILE_CREATION;
  const payer = getContractAddress({ opcode: "CREATE2", from, salt: zeroHash, bytecode });
  const args = [bytecode, zeroHash] as const;
  const data = encodeFunctionData({ abi: factoryAbi, functionName: "deploy", args });
  await onChain.operator.sender.send({ to: from, gas: 500_000n, data });
  await giveTestDollars(onChain.operator, { account: payer, amount: 100_000n });
  return async () => ({
    payer,
    nonce: toHex(randomBytes(32)),
    signature: `0x${"ab".repeat(70)}`,
  });
}

async function countSent(act: () => Promise<unknown>): Promise<number> {
  const { client, sender } = at.service.onChain.operator;
  const count = () => client.getTransactionCount({ address: sender.address as Hex });
  const before = await count();
  await act();
  return (await count()) - before;
}

/** One after another. */
async function payAll(pay: (sign: Sign) => Promise<number>, wallets: Sign[]): Promise<number[]> {
  const statuses: number[] = [];
  for (const wallet of wallets) statuses.push(await pay(wallet));
  return statuses;
}

test("a wallet's paid calls are not limited by gas, nor are a plan's", async () => {
  const [agent, wallet] = await Promise.all([sell(), openWallet()]);
  const statuses: number[] = [];
  const sent = await countSent(async () => {
    statuses.push(...(await payAll(agent.pay, Array(4).fill(wallet))));
  });
  expect(statuses).toEqual([200, 200, 200, 200]);
  expect(sent).toBe(4);
});

test("T48: a wallet whose code lets a capture fail is not captured again that day, and no work is done for it", async () => {
  const [agent, wallet] = await Promise.all([sell(), openHostileWallet()]);
  const sent = await countSent(() => payAll(agent.pay, Array(4).fill(wallet)));
  expect({ sent, calls: agent.calls }).toEqual({ sent: 1, calls: 1 });
  await at.service.ports.clock.advance(25 * 3_600);
  await agent.pay(wallet);
  expect(agent.calls).toBe(2);
});

const gasOfDay = () => addSponsoredGas(at.database, 0n);

test("more gas than is expected in a day degrades health, and refuses nothing", async () => {
  const [agent, wallet, seller, buyer] = await Promise.all([
    sell(),
    openWallet(),
    at.service.party({ isFunded: false }),
    at.service.party(),
  ]);
  const { planId } = await seller.payments.plans.registerCreditsPlan(
    { name: "Crypto" },
    getCryptoPriceConfig(10_000n, seller.address, at.service.usdc),
    getFixedCreditsConfig(10n, 1n),
  );
  const to = privateKeyToAccount(toHex(randomBytes(32))).address;
  await buyer.money.addWithdrawalAddress({ address: to });
  await at.service.ports.clock.advance(25 * 3_600);
  const faultAfter = async (gas: number) => {
    // As other replicas do.
    await addSponsoredGas(at.database, BigInt(gas));
    await at.service.onChain.readGas();
    return at.service.onChain.findSettlerFault();
  };
  expect(await faultAfter(LIMITS.expectedGasPerDay * 0.7)).toBeNull();
  const near = await faultAfter(LIMITS.expectedGasPerDay * 0.1);
  expect(near).toMatch(/of EXPECTED_GAS_PER_DAY 1000000000; find who uses it/);
  expect(await faultAfter(LIMITS.expectedGasPerDay)).toMatch(/EXPECTED_GAS_PER_DAY/);
  expect(await agent.pay(wallet)).toBe(200);
  const { plans, money } = buyer.payments;
  expect(await plans.orderPlan(planId)).toMatchObject({ status: "minted" });
  const withdrawal = { currency: "usdc", amount: 10_000n, to } as const;
  expect(await money.createWithdrawal(withdrawal)).toMatchObject({ status: "paid" });
  await at.service.ports.clock.advance(25 * 3_600);
  expect(await faultAfter(0)).toBeNull();
});

test("what the settler sends counts towards the gas of the day, at what it used", async () => {
  await at.service.ports.clock.advance(25 * 3_600);
  const { client, sender } = at.service.onChain.operator;
  const first = await client.getBlockNumber();
  await openHostileWallet();
  const last = await client.getBlockNumber();
  let used = 0n;
  for (let blockNumber = first + 1n; blockNumber <= last; blockNumber += 1n) {
    const { transactions } = await client.getBlock({ blockNumber, includeTransactions: true });
    for (const { from, hash } of transactions)
      if (from.toLowerCase() === sender.address.toLowerCase())
        used += (await client.getTransactionReceipt({ hash })).gasUsed;
  }
  expect(used).toBeGreaterThan(0n);
  expect(await gasOfDay()).toBe(Number(used));
});

test("burns do not count towards the gas of the day", async () => {
  const receiver = await at.service.party({ isFunded: false });
  const { builder, planId, endpoint, agentId, token } = await createMarket(at.service, {
    price: getCryptoPriceConfig(10_000n, receiver.address, at.service.usdc),
    credits: getFixedCreditsConfig(10n, 1n),
  });
  const before = await gasOfDay();
  const burns = await countSent(async () => {
    const settled = await builder.payments.facilitator.settlePermissions({
      paymentRequired: buildPaymentRequired({ planId, endpoint, agentId, httpVerb: "POST" }),
      x402AccessToken: token,
      agentRequestId: `request-${randomBytes(8).toString("hex")}`,
    });
    expect(settled).toMatchObject({ success: true });
    await at.service.untilMirrored();
  });
  expect(burns).toBeGreaterThan(0);
  expect(await gasOfDay()).toBe(before);
});
