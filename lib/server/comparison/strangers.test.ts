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
  type Abi,
  type Address,
  concat,
  encodeFunctionData,
  getAddress,
  type Hex,
  keccak256,
  serializeErc6492Signature,
  size,
  toHex,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { plansAbi } from "@/lib/adapters/chain/abis.ts";
import { type AccountCall, burnCall } from "@/lib/adapters/chain/bundler/user-operation.ts";
import { saleIdOf } from "@/lib/adapters/chain/chain-plan.ts";
import { authorizationTypedData } from "@/lib/adapters/chain/exact/transfer-calls.ts";
import { orderCalls } from "@/lib/adapters/chain/order-calls.ts";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, openRuleStore } from "@/lib/adapters/db/testing/stores.ts";
import { type ChainTestService, startChainTestService } from "../testing/chain-service.ts";
import { explainAll } from "../testing/explain-all.ts";
import { createMarket, type TestMarket } from "../testing/test-service.ts";

const PRICE = 1_000_000n;
const MAGIC: Hex = "0x1626ba7e";
const newKey = () => privateKeyToAccount(toHex(randomBytes(32)));
const push = (value: number): Hex => concat(["0x61", toHex(value, { size: 2 })]);

let database: Database;
let service: ChainTestService;
let market: TestMarket;

beforeAll(async () => {
  database = await openRuleStore();
  service = await startChainTestService(database);
});
afterAll(async () => {
  await service.stop();
  expect(await brokenRules(database)).toEqual([]);
  await database.close();
});
beforeEach(async () => {
  const seller = await service.party({ isFunded: false });
  market = await createMarket(service, {
    price: getCryptoPriceConfig(PRICE, seller.address, service.usdc),
    credits: getFixedCreditsConfig(100n, 1n),
  });
  await service.onChain.watch();
});
afterEach(async () => {
  await explainAll(service.onChain.findings);
  await service.onChain.watch();
});

/** Code that makes these calls whenever it is called, and takes credits. */
function codeOf(calls: AccountCall[]): Hex {
  // onERC1155Received is answered with its own selector.
  const prefix: Hex = "0x60003560e01c63f23a6e61141560205763f23a6e6160e01b60005260206000f35b";
  let at = size(prefix) + calls.length * 44 + 1;
  const parts: Hex[] = [prefix];
  for (const { target, callData } of calls) {
    const length = push(size(callData));
    parts.push(
      length,
      push(at),
      "0x600039",
      "0x60006000",
      length,
      "0x6000600073",
      target,
      "0x5af150",
    );
    at += size(callData);
  }
  return concat([...parts, "0x00", ...calls.map(({ callData }) => callData)]);
}

/** Code of an account that agrees to everything, and does each thing twice by the code that it had, or nothing. */
function accountCodeOf(implementation: Address, does: "twice" | "nothing"): Hex {
  const once = concat(["0x6000600036600073", implementation, "0x5af4"]);
  // An empty list of results.
  const nothing: Hex = "0x6020600052600060205260406000f3";
  const twice = concat(["0x366000600037", once, "0x50", once, "0x3d600060003e"]);
  const returned = concat([push(16 + size(twice) + 8), "0x57", "0x3d6000fd", "0x5b3d6000f3"]);
  const body = does === "twice" ? concat([twice, returned]) : nothing;
  const asked = concat(["0x60003560e01c63", MAGIC, "0x14", push(16 + size(body)), "0x57"]);
  return concat([asked, body, "0x5b63", MAGIC, "0x60e01b60005260206000f3"]);
}

const onNode = (method: string, params: unknown[]) =>
  service.onChain.operator.client.request({ method, params } as never);

/** What the owner of an account may do to it: another code. */
async function replaceCode({ subscriber }: TestMarket, does: "twice" | "nothing"): Promise<void> {
  const { smartAccountImplementation } = service.deployment;
  const code = accountCodeOf(smartAccountImplementation, does);
  await onNode("anvil_setCode", [subscriber.address, code]);
}

const settle = ({ builder, planId, endpoint, agentId, token }: TestMarket) =>
  builder.payments.facilitator.settlePermissions({
    paymentRequired: buildPaymentRequired({ planId, endpoint, agentId, httpVerb: "POST" }),
    x402AccessToken: token,
    agentRequestId: `request-${randomBytes(8).toString("hex")}`,
  });

/** What an account sends by its own means, past the service. */
async function act(from: string, calls: AccountCall[]): Promise<void> {
  const { client } = service.onChain.operator;
  await service.chain.fund(getAddress(from), 10n ** 18n);
  await onNode("anvil_impersonateAccount", [from]);
  for (const { target: to, callData: data } of calls) {
    const sent = { from, to, data, gas: toHex(2_000_000) };
    const hash = (await onNode("eth_sendTransaction", [sent])) as Hex;
    const { status } = await client.waitForTransactionReceipt({ hash });
    expect(status).toBe("success");
  }
}

const buys = (planId: string) =>
  orderCalls(service.deployment, { planId: BigInt(planId), token: service.usdc, total: PRICE });

/** A payment for an honest seller's route whose wallet names a contract as its factory: the settler calls it. */
async function payWithFactory(factory: Address): Promise<number> {
  const honest = await service.party({ isFunded: false });
  const routes = { "POST /ask": { price: "$0.05" } };
  const options = { queue: createMemoryQueue(), report: false };
  const gate = createGate(honest.payments, routes, options);
  const ask = (headers: Record<string, string> = {}) =>
    gate(new Request("https://agent.test/ask", { method: "POST", body: "{}", headers }), async () =>
      Response.json({}),
    );
  const required = decodePaymentRequired((await ask()).headers.get("payment-required") ?? "");
  const accepted = required?.accepts.find(isExactOffer);
  if (!accepted?.payTo) throw new Error("The route is not paid by exact.");
  const wallet = newKey();
  await service.onChain.fundAccount(wallet.address);
  const nonce = toHex(randomBytes(32));
  const [validAfter, validBefore] = [0n, 4_000_000_000n];
  const { payTo } = accepted;
  const payment = {
    id: "",
    payer: wallet.address,
    asset: service.usdc,
    payTo,
    nonce,
    signature: "",
  };
  const value = BigInt(accepted.amount ?? 0);
  const signed = await wallet.signTypedData(
    authorizationTypedData(
      { ...payment, value, validAfter, validBefore },
      { name: "USDC", version: "2", chainId: service.deployment.chainId },
    ),
  );
  const signature = serializeErc6492Signature({
    address: factory,
    data: "0x01",
    signature: signed,
  });
  const authorization = {
    from: wallet.address,
    to: payTo,
    value: `${value}`,
    validAfter: `${validAfter}`,
    validBefore: `${validBefore}`,
    nonce,
  };
  const paid = { x402Version: 2, accepted, payload: { signature, authorization } };
  return (await ask({ "payment-signature": encodeHeader(paid) })).status;
}

const onPlans = (functionName: string, args: unknown[]): AccountCall => ({
  target: service.deployment.plans,
  value: 0n,
  callData: encodeFunctionData({ abi: [...plansAbi] as Abi, functionName, args }),
});

/** A key burns a credit of another by a role that the plan's owner gave it. */
async function burnByRole({ builder, planId }: TestMarket): Promise<void> {
  const [holder, redeemer] = [newKey().address, newKey().address];
  const id = BigInt(planId);
  const version = { planId, version: 777 };
  const terms = {
    ...{ token: service.usdc, amounts: [PRICE], receivers: [getAddress(builder.address)] },
    ...{ credits: 10n, minAmount: 1n, maxAmount: 1n, durationSecs: 0n, redemptionType: 2 },
    ...{ proofRequired: false, isCrypto: true, timeBased: false, oncePerAccount: false },
  };
  await act(builder.address, [
    onPlans("registerVersion", [id, BigInt(version.version), terms]),
    onPlans("setPlanRole", [id, redeemer, true]),
  ]);
  await service.onChain.fundAccount(holder);
  await act(holder, buys(`${saleIdOf(version)}`));
  const burn = { holder, planId: id, amount: 1n, count: 1n, root: keccak256("0x01") };
  await act(redeemer, [burnCall(service.deployment, burn)]);
}

/** A holder burns a credit once more under the root of a settlement. */
async function burnAgain({ subscriber, planId }: TestMarket): Promise<void> {
  const settled = await database.query<{ root: Hex }>(
    "select burn->>'root' as root from chain_bundles, jsonb_array_elements(burns) burn where burn->>'holder' = $1",
    [subscriber.address],
  );
  const root = settled[0]?.root ?? "0x";
  const holder = getAddress(subscriber.address);
  const burn = { holder, planId: BigInt(planId), amount: 1n, count: 1n, root };
  await act(holder, [burnCall(service.deployment, burn)]);
}

/** What strangers, builders and subscribers can do at will: each is noted, and stops no one else's sales. */
const acts: { name: string; run: () => Promise<unknown>; noted: string[] }[] = [
  {
    name: "a payer's factory, which the settler calls, orders a plan for itself",
    async run() {
      const factory = newKey().address;
      await onNode("anvil_setCode", [factory, codeOf(buys(market.planId))]);
      await service.onChain.fundAccount(factory);
      expect(await payWithFactory(factory)).toBe(200);
      expect(await service.credits(factory, market.planId)).toBe(100n);
    },
    noted: ["order"],
  },
  {
    name: "a key burns another's credits by a role of the plan's owner",
    run: () => burnByRole(market),
    noted: ["burn", "order", "version"],
  },
  {
    name: "an account's own code orders twice in the service's operation",
    async run() {
      await replaceCode(market, "twice");
      await market.subscriber.payments.plans.orderPlan(market.planId);
    },
    noted: ["order"],
  },
  {
    name: "an account's own code burns twice in the service's operation",
    async run() {
      await replaceCode(market, "twice");
      await settle(market);
    },
    noted: ["burn"],
  },
  {
    name: "an account's own code leaves out a burn",
    async run() {
      await replaceCode(market, "nothing");
      await settle(market);
    },
    noted: [],
  },
  {
    name: "an account's own code leaves out an order",
    async run() {
      await replaceCode(market, "nothing");
      const order = market.subscriber.payments.plans.orderPlan(market.planId);
      await expect(order).rejects.toMatchObject({ code: "payment_refused" });
    },
    noted: [],
  },
  {
    name: "a holder burns once more under a settlement's root",
    async run() {
      await settle(market);
      await service.untilMirrored();
      await burnAgain(market);
    },
    noted: ["burn"],
  },
];

const named = acts.map(({ name, ...act }) => [name, act] as const);
test.each(named)("%s: it is noted, and others' sales go on", async (_, { run, noted }) => {
  await run();
  await service.untilMirrored();
  await service.onChain.watch();
  expect(await service.onChain.findings.listOpen()).toEqual([]);
  const rows = await database.query<{ kind: string }>(
    "select kind from chain_findings where plan_id = $1 and state = 'noted' order by kind",
    [market.planId],
  );
  expect(rows.map(({ kind }) => kind)).toEqual(noted);
  expect(await service.onChain.reconciler.run()).toMatchObject({ difference: 0n });
  expect(service.onChain.salesStop()).toBeNull();
});
