import { zeroAddress } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  giveTestDollars,
  type OnChainPlan,
  registerPlanOnChain,
  takeBackCreditsOnChain,
} from "./operator.ts";
import { type ChainFixture, freePlan, startChainFixture } from "./testing/chain-fixture.ts";
import { mintCreditsOnChain } from "./testing/mint-credits.ts";

let f: ChainFixture;
beforeAll(async () => {
  f = await startChainFixture();
});
afterAll(async () => {
  await f.stop();
});

test("registering, minting and taking back each happen once, however often they are requested", async () => {
  const plan: OnChainPlan = {
    ...freePlan,
    redemptionType: 4,
    planId: 2n ** 200n,
    owner: f.builder,
  };
  const { planId } = plan;
  const { address: account } = await f.createAccount("holder");
  const mint = { planId, account, amount: 20n, orderId: "order-1" };
  const refund = { planId, account, amount: 5n, cause: "refund:1" } as const;
  expect(await mintCreditsOnChain(f, mint)).toMatchObject({
    status: "refused",
    reason: "PlanUnknown",
  });
  for (const expected of ["done", "already"]) {
    expect(await registerPlanOnChain(f, plan)).toMatchObject({ status: expected });
    expect(await mintCreditsOnChain(f, mint)).toMatchObject({ status: expected });
    expect(await takeBackCreditsOnChain(f, refund)).toMatchObject({ status: expected });
    expect(await f.credits(account, planId)).toBe(15n);
  }
  const tooMuch = { ...refund, amount: 16n, cause: "refund:2" } as const;
  expect(await takeBackCreditsOnChain(f, tooMuch)).toMatchObject({
    status: "refused",
    reason: "InsufficientCredits",
  });
});

test("the faucet gives test dollars up to its limit, and only where they exist", async () => {
  const { address: account } = await f.createAccount("thirsty");
  expect(await giveTestDollars(f, { account, amount: 7_000_000n })).toMatchObject({
    status: "done",
  });
  expect(await f.money(account)).toBe(7_000_000n);
  const greedy = { account, amount: 10n ** 18n };
  expect(await giveTestDollars(f, greedy)).toMatchObject({
    status: "refused",
    reason: "FaucetLimit",
  });
  const { usdc: _, ...live } = f.deployment;
  expect(() =>
    giveTestDollars({ ...f, deployment: live }, { account: zeroAddress, amount: 1n }),
  ).toThrow(/no test dollar/);
});
