import { type Abi, encodeFunctionData, keccak256, stringToHex, zeroHash } from "viem";
import { privateKeyToAddress } from "viem/accounts";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { plansAbi } from "./abis.ts";
import { findRevertData, readRevertReason } from "./revert-reason.ts";
import {
  type ChainFixture,
  freePlan,
  startChainFixture,
  testKey,
} from "./testing/chain-fixture.ts";

let f: ChainFixture;
let planId: bigint;
const builder = privateKeyToAddress(testKey("receiver"));
const thief = privateKeyToAddress(testKey("thief"));
const role = (name: string) => keccak256(stringToHex(name));
const ref = (name: string) => keccak256(stringToHex(name));

beforeAll(async () => {
  f = await startChainFixture();
});
afterAll(async () => {
  await f.stop();
});
beforeEach(async () => {
  planId = await f.registerPlan({ token: f.usdc, amounts: [1_000_000n], receivers: [builder] });
});

/** Simulates a call to `Plans`; "done" or the error's name. */
async function attempt(
  functionName: string,
  args: unknown[],
  account = f.sender.address,
): Promise<string> {
  const data = encodeFunctionData({ abi: plansAbi as Abi, functionName, args });
  try {
    await f.client.call({ account, to: f.deployment.plans, data });
    return "done";
  } catch (error) {
    return readRevertReason(findRevertData(error)).name;
  }
}

const terms = (changes: Partial<typeof freePlan> = {}) => ({
  ...freePlan,
  token: f.usdc,
  amounts: [1_000_000n],
  receivers: [builder],
  ...changes,
});

test("the operator grants no role, raises no cap, and neither pauses nor resumes orders", async () => {
  for (const name of ["PAUSER_ROLE", "MINTER_ROLE", "REGISTRAR_ROLE"]) {
    for (const account of [f.sender.address, thief]) {
      expect(await attempt("grantRole", [role(name), account])).toBe(
        "AccessControlUnauthorizedAccount",
      );
    }
  }
  for (const [functionName, args] of [
    ["grantRole", [zeroHash, thief]],
    ["setDailyCap", [1n, 1n]],
    ["pause", []],
    ["unpause", []],
  ] as const) {
    expect(await attempt(functionName, [...args])).toBe("AccessControlUnauthorizedAccount");
    expect(await attempt(functionName, [...args], thief)).toBe("AccessControlUnauthorizedAccount");
  }
  expect(await attempt("grantRole", [zeroHash, thief], f.admin)).toBe("done");
  expect(await attempt("pause", [], f.admin)).toBe("done");
});

test("who may pause may not resume", async () => {
  const pauser = privateKeyToAddress(testKey("pauser"));
  await f.administer("grantRole", [role("PAUSER_ROLE"), pauser]);
  expect(await attempt("pause", [], pauser)).toBe("done");
  await f.administer("pause");
  expect(await attempt("unpause", [], pauser)).toBe("AccessControlUnauthorizedAccount");
  await f.administer("unpause");
});

test("mints and take-backs of a plan count against one daily cap, in orders of the plan", async () => {
  await f.administer("setDailyCap", [3n, 1_000n]);
  const { address } = await f.createAccount("capped");
  expect(await attempt("mintFor", [planId, thief, 2n ** 200n, ref("a")])).toBe("DailyCapExceeded");
  expect(await attempt("mintFor", [planId, thief, 2n ** 256n - 1n, ref("a")])).toBe(
    "DailyCapExceeded",
  );
  await f.mint(planId, address, 200n);
  await f.write(f.deployment.plans, plansAbi, "takeBack", [planId, address, 60n, ref("b")]);
  expect(await attempt("takeBack", [planId, address, 41n, ref("c")])).toBe("DailyCapExceeded");
  expect(await attempt("mintFor", [planId, address, 41n, ref("c")])).toBe("DailyCapExceeded");
  expect(await attempt("mintFor", [planId, address, 40n, ref("c")])).toBe("done");
  const other = await f.registerPlan();
  expect(await attempt("mintFor", [other, address, 300n, ref("d")])).toBe("done");
  const now = (await f.client.getBlock()).timestamp;
  const tomorrow = { time: (now / 86_400n + 1n) * 86_400n };
  const mint = encodeFunctionData({
    abi: plansAbi,
    functionName: "mintFor",
    args: [planId, address, 300n, ref("e")],
  });
  const later = f.client.call({
    account: f.sender.address,
    to: f.deployment.plans,
    data: mint,
    blockOverrides: tomorrow,
  });
  await expect(later).resolves.toBeDefined();
});

test("the number of mints and take-backs a day is capped over all plans", async () => {
  const { address } = await f.createAccount("counted");
  await f.administer("setDailyCap", [1_000n, 0n]);
  expect(await attempt("mintFor", [planId, address, 1n, ref("f")])).toBe("DailyCallsExceeded");
  await f.administer("setDailyCap", [1_000n, 1_000_000n]);
  expect(await attempt("mintFor", [planId, address, 1n, ref("f")])).toBe("done");
});

test("a plan that grants more credits than an order's number times fits has no smaller cap than it needs", async () => {
  await f.administer("setDailyCap", [10n, 1_000_000n]);
  const huge = await f.registerPlan({ credits: 2n ** 255n });
  expect(await attempt("mintFor", [huge, thief, 2n ** 255n, ref("g")])).toBe("done");
});

test.each([
  ["the same terms", {}, "done"],
  ["a higher price", { amounts: [1_000_001n] }, "done"],
  ["fewer credits", { credits: 99n }, "done"],
  ["the same price per credit", { amounts: [500_000n], credits: 50n }, "done"],
  ["a lower price", { amounts: [999_999n] }, "OwnerMustRegister"],
  ["more credits for the price", { credits: 101n }, "OwnerMustRegister"],
  [
    "almost everything for nothing",
    { amounts: [1n], credits: 2n ** 256n - 1n },
    "OwnerMustRegister",
  ],
  ["another receiver", { receivers: [thief] }, "OwnerMustRegister"],
  [
    "one more receiver",
    { amounts: [1_000_000n, 1n], receivers: [builder, thief] },
    "OwnerMustRegister",
  ],
  ["another token", { token: thief }, "OwnerMustRegister"],
  ["a sale by card", { isCrypto: false }, "OwnerMustRegister"],
] as const)("a version with %s, registered by the operator: %s", async (_, changes, expected) => {
  const version = terms(changes as Partial<typeof freePlan>);
  expect(await attempt("registerVersionFor", [planId + 9_000n, planId, version])).toBe(expected);
});

test("a plan's owner registers any version, under the id of that version, and no one else does", async () => {
  const version = terms({ amounts: [1n], receivers: [thief] });
  expect(await attempt("registerVersion", [planId, 2n, version], f.builder)).toBe("done");
  expect(await attempt("registerVersion", [planId, 2n, version])).toBe("OnlyPlanOwner");
  expect(await attempt("registerVersion", [planId, 2n, version], thief)).toBe("OnlyPlanOwner");
  expect(await attempt("registerVersion", [99_999n, 2n, version], thief)).toBe("OnlyPlanOwner");
});
