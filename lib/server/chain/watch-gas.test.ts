import type { Hex } from "viem";
import { expect, test } from "vitest";
import { PLAN_ROLES } from "@/lib/adapters/chain/check-roles.ts";
import type { Operator } from "@/lib/adapters/chain/operator.ts";
import { openRuleStore } from "@/lib/adapters/db/testing/stores.ts";
import { chainWork } from "../background-work.ts";
import { createLedgerComparison } from "../comparison/ledger-comparison.ts";
import { createHealth } from "../create-health.ts";
import type { ChainServices } from "./chain-services.ts";
import { createGasWatch, withGasWatch } from "./watch-gas.ts";

const GWEI = 10n ** 9n;
let balance = 0n;
let price = GWEI;
let reads = 0;
let roles = ["REGISTRAR_ROLE", "MINTER_ROLE"];
let answerOperator = async () => roles.includes("OPERATOR_ROLE");
const operator = {
  client: {
    getBalance: async () => {
      reads += 1;
      return balance;
    },
    getGasPrice: async () => price,
    readContract: async ({ args: [role] }: { args: [Hex] }) =>
      PLAN_ROLES[role] === "OPERATOR_ROLE"
        ? answerOperator()
        : roles.includes(PLAN_ROLES[role] ?? ""),
  },
  deployment: { plans: "0x00000000000000000000000000000000000000b1" },
  sender: { address: "0x00000000000000000000000000000000000000a1" },
} as unknown as Operator;

test("a settler with gas for fewer than a hundred orders degrades the chain's health, which says how many", async () => {
  const database = await openRuleStore();
  const gas = withGasWatch(operator, { facts: () => ({ openFindings: 0 }) });
  const none = () => null;
  const onChain = {
    ...gas,
    rail: { isHealthy: async () => true },
    salesStop: none,
    findOverdue: none,
    findAhead: none,
    findUnreadable: () => "burns wait for 1 key that can't be read",
  };
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const comparison = createLedgerComparison(database, () => 0);
  const health = createHealth(
    { database, onChain, onCards: null, comparison, secrets: { findDegraded: () => null } },
    "sandbox",
    () => 0,
    log,
  );
  const chain = async () => (await health()).checks.chain;

  expect(gas.settlerOrdersLeft()).toBeNaN();
  expect(await chain()).toMatchObject({ facts: { openFindings: 0 } });
  balance = 600_000n * 99n * GWEI;
  await gas.readGas();
  // Both are named: one cause does not hide another.
  expect(await chain()).toMatchObject({
    degraded:
      "the settler has gas for 99 orders: it holds 0.0594, and 100 take 0.06; burns wait for 1 key that can't be read",
    facts: { openFindings: 0, settlerBalance: "0.0594", settlerOrdersLeft: 99 },
  });
  balance += 600_000n * GWEI;
  await gas.readGas();
  expect(gas.findSettlerFault()).toBeNull();
  expect(gas.settlerOrdersLeft()).toBe(100);
  // The same coin buys less when gas is more expensive.
  price = 2n * GWEI;
  await gas.readGas();
  expect(gas.settlerOrdersLeft()).toBe(50);
  // Where gas is free, an empty settler is low all the same.
  [price, balance] = [0n, 0n];
  await gas.readGas();
  expect(gas.findSettlerFault()).toContain("gas for 0 orders");
  await database.close();
});

test("a settler without a role, as with another deployment's key, is named with the role that it lacks", async () => {
  const gas = createGasWatch(operator);
  [price, balance] = [GWEI, 600_000n * 100n * GWEI];
  await gas.readGas();
  expect(gas.findSettlerFault()).toBeNull();
  roles = ["REGISTRAR_ROLE"];
  await gas.readGas();
  expect(gas.findSettlerFault()).toBe(
    "the settler 0x00000000000000000000000000000000000000a1 does not hold MINTER_ROLE: is SETTLER_PRIVATE_KEY the key of this deployment?",
  );
  roles = [];
  balance -= 1n;
  await gas.readGas();
  expect(gas.findSettlerFault()).toMatch(
    /hold REGISTRAR_ROLE:.*; the settler has gas for 99 orders/,
  );
});

test("the one role of the first release's contracts is enough: they have no other", async () => {
  const gas = createGasWatch(operator);
  [price, balance, roles] = [GWEI, 600_000n * 100n * GWEI, ["OPERATOR_ROLE"]];
  await gas.readGas();
  expect(gas.findSettlerFault()).toBeNull();
  const answer = answerOperator;
  answerOperator = async () => {
    answerOperator = answer;
    throw new Error(`The node does not answer: ${gas.findSettlerFault()}`);
  };
  await expect(gas.readGas()).rejects.toThrow("The node does not answer: null");
  expect(gas.findSettlerFault()).toBeNull();
});

test("the balance is read each minute, and not when someone asks for health", async () => {
  const gas = createGasWatch(operator);
  const onChain = { ...gas, bundler: {} } as unknown as ChainServices;
  const work = chainWork(onChain).find(({ name }) => name === "settler gas");
  expect(work?.everyMs).toBe(60_000);
  reads = 0;
  gas.findSettlerFault();
  expect(reads).toBe(0);
  await work?.run();
  expect(reads).toBe(1);
});
