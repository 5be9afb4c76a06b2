import { getFixedCreditsConfig } from "@turnpike/payments/protocol";
import { type Address, zeroAddress } from "viem";
import { privateKeyToAddress } from "viem/accounts";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { PlanVersion } from "@/lib/domain/chain-ports.ts";
import { plansAbi } from "./abis.ts";
import { saleIdOf, toOnChainPlan } from "./chain-plan.ts";
import { type OwnerKeys, OwnerSignatureNeeded } from "./grants/owner-keys.ts";
import { createPlanRegistry } from "./plan-registry.ts";
import type { SmartAccount } from "./smart-account.ts";
import { type ChainFixture, startChainFixture, testKey } from "./testing/chain-fixture.ts";

let f: ChainFixture;
let builder: SmartAccount;
let nextPlan = 1_000n;
let versions: PlanVersion[];
const thief = privateKeyToAddress(testKey("thief"));

beforeAll(async () => {
  f = await startChainFixture();
  builder = await f.createAccount("plan owner");
});
afterAll(async () => {
  await f.stop();
});
beforeEach(() => {
  nextPlan += 1n;
  versions = [versionOf(1, {})];
});

function versionOf(
  version: number,
  { amounts = [1_000_000n], receivers = [builder.address] as string[], credits = 100n },
): PlanVersion {
  return {
    planId: nextPlan.toString(),
    owner: builder.address,
    version,
    accessLimit: "credits",
    isTrial: false,
    credits: getFixedCreditsConfig(credits, 1n),
    price: {
      tokenAddress: f.usdc,
      amounts,
      receivers,
      contractAddress: zeroAddress,
      feeController: zeroAddress,
      externalPriceAddress: zeroAddress,
      templateAddress: zeroAddress,
      isCrypto: true,
    },
  };
}

/** A registry whose owner keys are with the service, or with the owners' wallets. */
function registry({ isHeld = true } = {}) {
  const owners: OwnerKeys = {
    smartAccount: async () => builder,
    ownerKey: async (account) => {
      if (!isHeld) throw new OwnerSignatureNeeded(account);
      return testKey("plan owner");
    },
  };
  const findVersion = async (_: string, version: number) => versions[version - 1] as PlanVersion;
  return createPlanRegistry({ operator: f, owners, findVersion });
}

const receiversOf = async (plan: PlanVersion): Promise<readonly Address[]> => {
  const [, price] = await f.client.readContract({
    address: f.deployment.plans,
    abi: plansAbi,
    functionName: "planOf",
    args: [saleIdOf(plan)],
  });
  return price.receivers;
};

test.each([
  ["a higher price", { amounts: [2_000_000n] }],
  ["a lower price", { amounts: [1n] }],
  ["another receiver", { receivers: [privateKeyToAddress(testKey("partner"))] }],
])("a version with %s is registered while the service holds its owner's key", async (_, terms) => {
  const version = versionOf(2, terms);
  versions.push(version);
  expect(await registry().ensure(version)).toBeNull();
  expect(await receiversOf(version)).toEqual(version.price.receivers);
  expect(await registry().ensure(version)).toBeNull();
});

test("where a wallet holds the owner's key, better offers and other receivers are refused", async () => {
  const { ensure } = registry({ isHeld: false });
  versions.push(
    versionOf(2, { amounts: [2_000_000n] }),
    versionOf(3, { amounts: [1n] }),
    versionOf(4, { receivers: [thief] }),
  );
  const [, costlier, cheaper, redirected] = versions as [
    PlanVersion,
    PlanVersion,
    PlanVersion,
    PlanVersion,
  ];
  expect(await ensure(costlier)).toBeNull();
  expect(await ensure(cheaper)).toMatch(/signature of the plan's owner/);
  expect(await ensure(redirected)).toMatch(/sell them as another plan/);
});

test("terms that the contract cannot hold are refused, and leave no order unknown", async () => {
  const [plan] = versions as [PlanVersion];
  const wide = { ...plan, credits: getFixedCreditsConfig(2n ** 130n, 2n ** 128n) };
  expect(await registry().ensure(wide)).toMatch(/more credits than the contract/);
  const widest = { ...plan, credits: getFixedCreditsConfig(2n ** 130n, 2n ** 128n - 1n) };
  expect(await registry().ensure(widest)).toBeNull();
});

test("a plan that someone registered on other terms before the service did is not sold", async () => {
  const [plan] = versions as [PlanVersion];
  const { planId, owner, ...terms } = toOnChainPlan(plan);
  const stolen = { ...terms, receivers: [thief] };
  await f.write(f.deployment.plans, plansAbi, "registerPlanFor", [planId, owner, stolen]);
  expect(await registry().ensure(plan)).toMatch(/The chain has other terms/);
});
