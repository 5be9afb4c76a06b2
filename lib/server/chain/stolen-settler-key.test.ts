import { randomBytes } from "node:crypto";
import {
  buildPaymentRequired,
  getCryptoPriceConfig,
  getFixedCreditsConfig,
} from "@turnpike/payments/protocol";
import {
  type Abi,
  type Address,
  encodeFunctionData,
  getAddress,
  keccak256,
  parseAbi,
  stringToHex,
  zeroHash,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { plansAbi } from "@/lib/adapters/chain/abis.ts";
import { createTransactionSender } from "@/lib/adapters/chain/bundler/transaction-sender.ts";
import { orderCalls } from "@/lib/adapters/chain/order-calls.ts";
import { findRevertData, readRevertReason } from "@/lib/adapters/chain/revert-reason.ts";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, openRuleStore } from "@/lib/adapters/db/testing/stores.ts";
import { chainWork } from "../background-work.ts";
import { type ChainTestService, startChainTestService } from "../testing/chain-service.ts";
import { explainAll } from "../testing/explain-all.ts";
import { createMarket, type TestMarket } from "../testing/test-service.ts";

const PRICE = 1_000_000n;
/** What the contracts' daily cap lets the minter move of a plan of 100 credits. */
const CAP = 1_000n;

let database: Database;
let service: ChainTestService;
let market: TestMarket;
let thief: Address;

beforeAll(async () => {
  database = await openRuleStore();
  service = await startChainTestService(database);
  thief = getAddress((await service.party({ isFunded: false })).address);
});
afterAll(async () => {
  await service.stop();
  expect(await brokenRules(database)).toEqual([]);
  await database.close();
});
beforeEach(async () => {
  await explainAll(service.onChain.findings);
  await service.onChain.watch();
  market = await createMarket(service, {
    price: getCryptoPriceConfig(PRICE, thief, service.usdc),
    credits: getFixedCreditsConfig(100n, 1n),
  });
});

/** Sends a call to `Plans` with the settler's key; "done" or the error's name. */
async function attempt(functionName: string, args: unknown[]): Promise<string> {
  const { client, sender } = service.onChain.operator;
  const to = service.deployment.plans;
  const data = encodeFunctionData({ abi: plansAbi as Abi, functionName, args });
  try {
    await client.call({ account: sender.address, to, data });
  } catch (error) {
    return readRevertReason(findRevertData(error)).name;
  }
  const { status } = await sender.send({ to, data, gas: 2_000_000n });
  return status === "success" ? "done" : "reverted";
}

const ref = (name: string) => keccak256(stringToHex(`${name} ${market.planId}`));
const subscriberOf = ({ subscriber }: TestMarket) => getAddress(subscriber.address);

const settle = (of: TestMarket, agentRequestId: string) =>
  of.builder.payments.facilitator.settlePermissions({
    paymentRequired: requirementOf(of),
    x402AccessToken: of.token,
    agentRequestId,
  });

const verify = (of: TestMarket, agentRequestId: string, reserve: boolean) =>
  of.builder.payments.facilitator.verifyPermissions({
    paymentRequired: requirementOf(of),
    x402AccessToken: of.token,
    agentRequestId,
    reserve,
  });

const requirementOf = ({ planId, endpoint, agentId }: TestMarket) =>
  buildPaymentRequired({ planId, endpoint, agentId, httpVerb: "POST" });

const kindsFound = async () =>
  (await service.onChain.findings.listOpen()).map(({ kind }) => kind).sort();

test("a stolen settler key moves at most the daily cap of a plan, and cannot sell, pause or promote itself", async () => {
  const planId = BigInt(market.planId);
  const terms = {
    token: service.usdc,
    amounts: [PRICE],
    receivers: [thief],
    credits: 100n,
    minAmount: 1n,
    maxAmount: 1n,
    durationSecs: 0n,
    redemptionType: 4,
    proofRequired: false,
    isCrypto: true,
    timeBased: false,
    oncePerAccount: false,
  };
  const other = getAddress(service.deployment.plans);
  const tried = {
    "mint 2^200": await attempt("mintFor", [planId, thief, 2n ** 200n, ref("a")]),
    "sell to itself": await attempt("registerVersionFor", [
      7n,
      planId,
      { ...terms, receivers: [other] },
    ]),
    "sell 2^200 for the price": await attempt("registerVersionFor", [
      8n,
      planId,
      { ...terms, credits: 2n ** 200n },
    ]),
    "sell as the owner": await attempt("registerVersion", [planId, 2n, terms]),
    "grant admin": await attempt("grantRole", [zeroHash, thief]),
    "raise the cap": await attempt("setDailyCap", [1_000_000n, 1_000_000n]),
    pause: await attempt("pause", []),
    "take back all": await attempt("takeBack", [planId, subscriberOf(market), 100n, ref("b")]),
    "mint the rest of the cap": await attempt("mintFor", [planId, thief, CAP - 100n, ref("c")]),
    "mint one more": await attempt("mintFor", [planId, thief, 1n, ref("d")]),
    "take back one more": await attempt("takeBack", [planId, thief, 1n, ref("e")]),
  };
  console.info("stolen settler key:", JSON.stringify(tried));
  expect(tried).toEqual({
    "mint 2^200": "DailyCapExceeded",
    "sell to itself": "OwnerMustRegister",
    "sell 2^200 for the price": "OwnerMustRegister",
    "sell as the owner": "OnlyPlanOwner",
    "grant admin": "AccessControlUnauthorizedAccount",
    "raise the cap": "AccessControlUnauthorizedAccount",
    pause: "AccessControlUnauthorizedAccount",
    "take back all": "done",
    "mint the rest of the cap": "done",
    "mint one more": "DailyCapExceeded",
    "take back one more": "DailyCapExceeded",
  });
  await service.onChain.watch();
  expect(await kindsFound()).toEqual(["mint", "take_back"]);
});

test("events are read every ten seconds, and what the ledger did not ask for stops sales until it is explained", async () => {
  const work = chainWork(service.onChain).find(({ name }) => name === "chain events");
  expect(work?.everyMs).toBeLessThanOrEqual(30_000);
  await verify(market, "held-before-the-finding", true);
  const empty = await createMarket(service, {
    price: getCryptoPriceConfig(PRICE, thief, service.usdc),
    order: false,
  });
  expect(service.onChain.salesStop()).toBeNull();

  expect(await attempt("mintFor", [BigInt(market.planId), thief, 5n, ref("mint")])).toBe("done");
  await work?.run();
  expect(service.onChain.salesStop()).toMatch(/1 events on chain that the ledger did not ask for/);
  expect(service.onChain.facts()).toMatchObject({ openFindings: 1 });
  const [finding] = await service.onChain.findings.listOpen();
  expect(finding).toMatchObject({
    kind: "mint",
    account: thief,
    planId: market.planId,
    credits: 5n,
    transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/),
  });

  const stopped = { code: "unavailable", details: [{ path: "order", message: "sales_stopped" }] };
  const { subscriber } = market;
  await expect(subscriber.payments.plans.orderPlan(market.planId)).rejects.toMatchObject(stopped);
  await expect(verify(empty, "top-up-at-the-verify", true)).rejects.toMatchObject(stopped);
  await expect(settle(empty, "top-up-at-the-settle")).rejects.toMatchObject(stopped);
  expect(await settle(market, "held-before-the-finding")).toMatchObject({ success: true });
  expect(await settle(market, "settled-while-stopped")).toMatchObject({ success: true });

  await service.onChain.findings.explain(finding?.findingId ?? "", "The key was changed.");
  await work?.run();
  expect(service.onChain.salesStop()).toBeNull();
  expect(await subscriber.payments.plans.orderPlan(market.planId)).toMatchObject({ success: true });
});

test("a pause and a role that no one asked for stop sales; the failure lab's own pause does not", async () => {
  await service.onChain.pauseOrders(true);
  await service.onChain.pauseOrders(false);
  await service.onChain.watch();
  expect(await kindsFound()).toEqual([]);
  const { client } = service.onChain.operator;
  const settler = privateKeyToAccount(service.adminPrivateKey);
  const admin = createTransactionSender({ client, settler, journal: service.chain.journal });
  const data = encodeFunctionData({
    abi: plansAbi,
    functionName: "grantRole",
    args: [keccak256(stringToHex("MINTER_ROLE")), thief],
  });
  await admin.send({ to: service.deployment.plans, data, gas: 200_000n });
  await service.onChain.watch();
  expect(await kindsFound()).toEqual(["role"]);
});

test("the deployment's own roles are no findings once the settler's key was changed; those granted since are", async () => {
  const { sender: first } = service.onChain.operator;
  await service.restart(`0x${randomBytes(32).toString("hex")}`);
  const { client } = service.onChain.operator;
  const settler = privateKeyToAccount(service.adminPrivateKey);
  const admin = createTransactionSender({ client, settler, journal: service.chain.journal });
  const abi = parseAbi([
    "function revokeRole(bytes32, address)",
    "function grantRole(bytes32, address)",
  ]);
  const args = [keccak256(stringToHex("MINTER_ROLE")), first.address] as const;
  for (const functionName of ["revokeRole", "grantRole"] as const) {
    const data = encodeFunctionData({ abi, functionName, args });
    await admin.send({ to: service.deployment.plans, data, gas: 200_000n });
  }
  await database.query("delete from chain_findings", []);
  await database.query("delete from chain_cursors", []);
  await service.onChain.watch();
  const found = await service.onChain.findings.listOpen();
  await service.restart();
  const details = found.map(({ detail }) => detail);
  expect(details.filter((detail) => detail.includes(first.address))).toEqual([
    `MINTER_ROLE was taken from ${first.address}.`,
    `MINTER_ROLE was granted to ${first.address}.`,
  ]);
});

test("a plan that was registered with other terms before its first order is a finding, and is not sold", async () => {
  const fresh = await createMarket(service, {
    price: getCryptoPriceConfig(PRICE, thief, service.usdc),
    order: false,
  });
  const terms = {
    token: service.usdc,
    amounts: [PRICE],
    receivers: [getAddress(market.builder.address)],
    credits: 100n,
    minAmount: 1n,
    maxAmount: 1n,
    durationSecs: 0n,
    redemptionType: 4,
    proofRequired: false,
    isCrypto: true,
    timeBased: false,
    oncePerAccount: false,
  };
  const args = [BigInt(fresh.planId), thief, terms];
  expect(await attempt("registerPlanFor", args)).toBe("done");
  await expect(fresh.subscriber.payments.plans.orderPlan(fresh.planId)).rejects.toMatchObject({
    code: "payment_refused",
    message: expect.stringMatching(/The chain has other terms/),
  });
  await service.onChain.watch();
  expect(await kindsFound()).toEqual(["plan"]);
});

test("what holders do on chain with their own accounts is noted, and stops nothing", async () => {
  const { client, sender } = service.onChain.operator;
  const buyer = privateKeyToAccount(keccak256(stringToHex("a wallet that buys directly")));
  await service.chain.fund(buyer.address, 10n ** 18n);
  await service.onChain.fundAccount(buyer.address);
  const own = createTransactionSender({ client, settler: buyer, journal: service.chain.journal });
  const planId = BigInt(market.planId);
  for (const call of orderCalls(service.deployment, {
    planId,
    token: service.usdc,
    total: PRICE,
  })) {
    const { status } = await own.send({ to: call.target, data: call.callData, gas: 500_000n });
    expect(status).toBe("success");
  }
  expect(own.address).not.toBe(sender.address);
  await service.onChain.watch();
  expect(await kindsFound()).toEqual([]);
  const noted = await database.query(
    "select kind, credits from chain_findings where account = $1",
    [buyer.address],
  );
  expect(noted).toEqual([{ kind: "order", credits: 100n }]);
  expect(await service.onChain.reconciler.run()).toMatchObject({ waitingForCap: 0n });
});

test("what a replaced settler key orders once the change is over stops no sales", async () => {
  const { sender: stolen } = service.onChain.operator;
  await service.onChain.fundAccount(stolen.address);
  await service.restart(`0x${randomBytes(32).toString("hex")}`);
  const planId = BigInt(market.planId);
  const order = async () => {
    for (const call of orderCalls(service.deployment, {
      planId,
      token: service.usdc,
      total: PRICE,
    })) {
      const { status } = await stolen.send({ to: call.target, data: call.callData, gas: 500_000n });
      expect(status).toBe("success");
    }
    await service.onChain.watch();
  };
  // During the change, a replica may still send with it.
  await order();
  expect(await kindsFound()).toEqual(["forgotten_order"]);
  await explainAll(service.onChain.findings);
  await database.query("update settlers set since = since - interval '2 hours'", []);
  await order();
  expect(await kindsFound()).toEqual([]);
  expect(service.onChain.salesStop()).toBeNull();
  await service.restart();
});
