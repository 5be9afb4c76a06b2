import { getCryptoPriceConfig, getFixedCreditsConfig } from "@turnpike/payments/protocol";
import { beforeAll, expect, test } from "vitest";
import { ORDER_GAS } from "@/lib/adapters/chain/order-budget.ts";
import { longTest } from "@/lib/testing/in-full.ts";
import { readEnv } from "../env.ts";
import { shareChainService } from "../testing/shared-chain-service.ts";
import type { TestParty } from "../testing/test-service.ts";

/** Three orders an account and five a plan, the first of which also create the account and register the plan. */
const LIMITS = { gasPerAccount: 3.5 * ORDER_GAS, gasPerPlan: 5.5 * ORDER_GAS, floorCents: 1n };
const CENT = 10_000n;

const at = shareChainService(LIMITS);
let seller: TestParty;
beforeAll(async () => {
  seller = await at.service.party();
});

const register = (price: bigint) =>
  seller.payments.plans.registerCreditsPlan(
    { name: "Self-ordered" },
    getCryptoPriceConfig(price, seller.address, at.service.usdc),
    getFixedCreditsConfig(100n, 1n),
  );
const gasSpent = async () => {
  const { client, sender } = at.service.onChain.operator;
  return (await client.getTransactionCount({ address: sender.address })) ?? 0;
};

test("T48: a price under the floor is neither registered nor ordered", async () => {
  const tooLow = { code: "invalid_input", message: expect.stringMatching(/at least 10000/) };
  await expect(register(1n)).rejects.toMatchObject(tooLow);
  await expect(register(CENT - 1n)).rejects.toMatchObject(tooLow);
  const { planId } = await register(CENT);
  const reprice = seller.payments.plans.updatePlan(planId, {
    priceConfig: getCryptoPriceConfig(1n, seller.address, at.service.usdc),
  });
  await expect(reprice).rejects.toMatchObject(tooLow);
  // A plan of the time before there was a floor.
  await at.database.query(
    `update plan_versions set price = jsonb_set(price, '{amounts}', '["1"]') where plan_id = $1`,
    [planId],
  );
  const sent = await gasSpent();
  await expect(seller.payments.plans.orderPlan(planId)).rejects.toMatchObject({
    code: "payment_refused",
    details: [{ path: "order", message: "price_too_low" }],
  });
  expect(await gasSpent()).toBe(sent);
});

test("T48: a seller who orders their own plans uses up their sponsored gas, and the service sends nothing more", async () => {
  const plans = await Promise.all(Array.from({ length: 6 }, () => register(CENT)));
  const outcomes: string[] = [];
  let sent = 0;
  for (const { planId } of plans) {
    if (outcomes.length === 3) sent = await gasSpent();
    outcomes.push(await orderOf(seller, planId));
  }
  expect(outcomes).toEqual(["minted", "minted", "minted", ...Array(3).fill("gas_budget")]);
  expect(await gasSpent()).toBe(sent);
  await at.service.ports.clock.advance(25 * 3_600);
  expect(await orderOf(seller, plans[5]?.planId ?? "")).toBe("minted");
});

longTest(
  "T48: a plan's orders have a budget over all accounts, and other plans are not touched",
  async () => {
    const [{ planId }, other] = await Promise.all([register(CENT), register(CENT)]);
    const buyers = await Promise.all(Array.from({ length: 6 }, () => at.service.party()));
    const outcomes = await Promise.all(buyers.slice(0, 5).map((buyer) => orderOf(buyer, planId)));
    expect(outcomes).toEqual(Array(5).fill("minted"));
    const [last] = buyers.slice(5) as [TestParty];
    expect(await orderOf(last, planId)).toBe("gas_budget");
    expect(await orderOf(last, other.planId)).toBe("minted");
  },
);

test("the limits come from the settings: only the embedded chain, whose gas is free, has no floor", () => {
  expect(readEnv({}).orderLimits).toEqual({
    gasPerAccount: 0,
    gasPerPlan: 0,
    expectedGasPerDay: 0,
    floorCents: 0n,
  });
  const chain = {
    CHAIN_RPC_URL: "https://rpc.example",
    CHAIN_ID: "84532",
    SETTLER_PRIVATE_KEY: `0x${"11".repeat(32)}`,
    DEPLOYMENTS_FILE: "deployments.json",
  };
  expect(readEnv(chain).orderLimits).toMatchObject({ gasPerAccount: 0, floorCents: 1n });
  const set = readEnv({ ORDER_GAS_PER_ACCOUNT: "600000", CRYPTO_FLOOR_CENTS: "25" });
  expect(set.orderLimits).toMatchObject({ gasPerAccount: 600_000, floorCents: 25n });
});

/** The order's status, or the code of its refusal. */
async function orderOf({ payments }: TestParty, planId: string): Promise<string> {
  try {
    return (await payments.plans.orderPlan(planId)).status;
  } catch (error) {
    return (error as { details: { message: string }[] }).details[0]?.message ?? String(error);
  }
}
