import type { BudgetPeriod } from "@turnpike/payments/protocol";
import {
  type Address,
  concat,
  encodePacked,
  keccak256,
  stringToHex,
  zeroAddress,
  zeroHash,
} from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { longTest } from "@/lib/testing/in-full.ts";
import { periodLimitsAbi, tokenAbi } from "../abis.ts";
import type { AccountCall } from "../bundler/user-operation.ts";
import { DETERMINISTIC_DEPLOYER, planDeployment } from "../deployment-plan.ts";
import { orderCalls } from "../order-calls.ts";
import {
  type ChainFixture,
  openTerms,
  startChainFixture,
  testKey,
} from "../testing/chain-fixture.ts";
import { buildGrant, datedGrant, type OrderPeriodLimit, signGrant } from "./grant.ts";
import { sessionKeyFromPrivateKey } from "./session-key.ts";

const DAY = 86_400;
const PRICE = 2_000_000n;
const PERIODS: BudgetPeriod[] = ["call", "day", "week", "month"];

let f: ChainFixture;
let deployment: ChainFixture["deployment"];
let planId: bigint;
let salt = 1_000n;

beforeAll(async () => {
  f = await startChainFixture();
  // As it is deployed for live: in the sandbox an order's time may be far ahead of the chain's.
  const plan = planDeployment({
    chainId: f.deployment.chainId,
    roles: { admin: f.admin, pauser: f.admin, operator: f.sender.address },
    sandbox: false,
    framework: "own",
  });
  const step = plan.steps.find(({ name }) => name === "PeriodLimitsEnforcer");
  if (!step) throw new Error("It is not planned.");
  const data = concat([step.salt, step.initCode]);
  await f.sender.send({ to: DETERMINISTIC_DEPLOYER, data, gas: 3_000_000n });
  deployment = { ...f.deployment, periodLimits: step.address };
  planId = await f.registerPlan({ token: f.usdc, amounts: [PRICE], receivers: [f.builder] });
});
afterAll(() => f.stop());

const scopeOf = (name: string) => keccak256(stringToHex(name));
const limit = (period: BudgetPeriod, orders: bigint, scope = "account"): OrderPeriodLimit => ({
  scope: scopeOf(scope),
  period,
  limit: orders * PRICE,
});

/** A signed grant and its session key, as a thief has them. */
async function steal(name: string, periodLimits: OrderPeriodLimit[]) {
  const account = await f.createAccount(name);
  await f.write(f.usdc, tokenAbi, "faucet", [account.address, 100n * PRICE]);
  salt += 1n;
  const key = testKey(`session ${name} ${salt}`);
  const sessionKey = sessionKeyFromPrivateKey(key);
  const terms = { ...openTerms, orderToken: f.usdc, orderLimit: 100n * PRICE, periodLimits };
  const parts = {
    deployment,
    account: account.address,
    sessionKey: sessionKey.address,
    terms,
    salt,
  };
  const grant = await signGrant({
    deployment,
    grant: buildGrant(parts),
    privateKey: testKey(name),
  });
  const order = orderCalls(f.deployment, { planId, token: f.usdc, total: PRICE });
  return {
    grant,
    order: (at?: number, calls: AccountCall[] = order) =>
      f.act(
        at === undefined ? grant : datedGrant(deployment, grant, new Date(at * 1_000)),
        sessionKey,
        calls,
      ),
    calls: order,
    spent: async () => 100n - (await f.money(account.address)) / PRICE,
  };
}

const now = async () => Number((await f.client.getBlock()).timestamp);
/** Mines the next block at a second of a UTC day to come. */
async function goTo(second: number) {
  await f.client.request({ method: "evm_setNextBlockTimestamp", params: [second] } as never);
  await f.client.request({ method: "evm_mine", params: [] } as never);
}
const nextMidnight = async () => (Math.floor((await now()) / DAY) + 1) * DAY;

describe("a session key with a grant, outside the ledger", () => {
  test("cannot pass the day's limit, and can order again the next day", async () => {
    await goTo((await nextMidnight()) + 3_600);
    const thief = await steal("daily", [limit("day", 2n)]);
    expect(await thief.order()).toBe("done");
    expect(await thief.order()).toBe("done");
    expect(await thief.order()).toBe("PeriodLimitExceeded");
    // Nor on days to come, whose orders it pretends to make.
    for (const days of [1, 2, 365]) {
      expect(await thief.order((await now()) + days * DAY)).toBe("PeriodLimitExceeded");
    }
    expect(await thief.order(8.64e12)).toBe("PeriodLimitExceeded");
    await goTo((await nextMidnight()) - 1);
    expect(await thief.spent()).toBe(2n);
    await goTo(await nextMidnight());
    expect(await thief.order()).toBe("done");
    expect(await thief.order()).toBe("done");
    expect(await thief.order()).toBe("PeriodLimitExceeded");
    expect(await thief.spent()).toBe(4n);
  });

  test("cannot pass the limit of one call by several orders at once", async () => {
    const thief = await steal("caller", [limit("call", 1n)]);
    expect(await thief.order(undefined, [...thief.calls, ...thief.calls])).toBe(
      "PeriodLimitExceeded",
    );
    expect(await thief.order()).toBe("done");
    expect(await thief.order()).toBe("done");
    expect(await thief.spent()).toBe(2n);
  });

  test("cannot pass the account's limit by another grant, nor use what another account has left", async () => {
    const account = [limit("month", 2n)];
    const one = await steal("sharer", [...account, limit("week", 1n, "delegation 1")]);
    const two = await steal("sharer", [...account, limit("week", 5n, "delegation 2")]);
    const other = await steal("another sharer", account);
    expect(await one.order()).toBe("done");
    expect(await one.order()).toBe("PeriodLimitExceeded");
    expect(await two.order()).toBe("done");
    expect(await two.order()).toBe("PeriodLimitExceeded");
    expect(await other.order()).toBe("done");
  });

  test("T55: does not get a limit back by a grant that its owner signs again", async () => {
    const first = await steal("resigner", [limit("month", 1n)]);
    expect(await first.order()).toBe("done");
    const raised = await steal("resigner", [limit("month", 2n)]);
    expect(await raised.order()).toBe("done");
    expect(await raised.order()).toBe("PeriodLimitExceeded");
  });

  test("cannot pay another token than the limits count in", async () => {
    const native = await f.registerPlan({ amounts: [1n], receivers: [f.builder] });
    const thief = await steal("mixer", [limit("day", 1n)]);
    const order = orderCalls(f.deployment, { planId: native, token: zeroAddress, total: 1n });
    expect(await thief.order(undefined, order)).toBe("OrderTokenNotPermitted");
  });

  test("leaves the counters of another caller of the contract alone", async () => {
    const thief = await steal("counted", [limit("day", 1n)]);
    const [caveat] = thief.grant.caveats.slice(-1);
    const { terms = "0x" } = caveat ?? {};
    const [, buy] = thief.calls;
    const call = encodePacked(
      ["address", "uint256", "bytes"],
      [f.deployment.plans, 0n, buy?.callData ?? "0x"],
    );
    const { delegator } = thief.grant;
    const hook = [terms, "0x", zeroHash, call, zeroHash, delegator, f.sender.address];
    await f.write(caveat?.enforcer ?? zeroAddress, periodLimitsAbi, "beforeHook", hook);
    expect(await thief.order()).toBe("done");
  });
});

describe("an order that the ledger made", () => {
  test("counts on the day it was made, when it is included after midnight", async () => {
    const midnight = await nextMidnight();
    await goTo(midnight - 10);
    const { order } = await steal("late", [limit("day", 1n)]);
    await goTo(midnight + 10);
    expect(await order(midnight - 1)).toBe("done");
    expect(await order(midnight)).toBe("done");
    expect(await order(midnight - 1)).toBe("PeriodLimitExceeded");
    expect(await order(midnight)).toBe("PeriodLimitExceeded");
  });

  test("counts a day back at most", async () => {
    const midnight = await nextMidnight();
    await goTo(midnight + 3_600);
    const { order } = await steal("older", [limit("day", 1n)]);
    expect(await order(midnight - 5 * DAY)).toBe("done");
    expect(await order(midnight - 9 * DAY)).toBe("PeriodLimitExceeded");
    expect(await order(midnight - 1)).toBe("PeriodLimitExceeded");
    expect(await order(midnight)).toBe("done");
  });

  test("may be ahead of the chain's clock by minutes", async () => {
    const midnight = await nextMidnight();
    await goTo(midnight - 600);
    const { order } = await steal("early", [limit("day", 1n)]);
    expect(await order(midnight)).toBe("done");
    expect(await order(midnight + 2 * DAY)).toBe("PeriodLimitExceeded");
    expect(await order(midnight - 600)).toBe("done");
  });
});

longTest("the contract's periods begin at the same seconds as the ledger's", async () => {
  const [store] = ruleStores();
  const database = await (store as NonNullable<typeof store>).open();
  const seconds = (text: string) => Date.parse(text) / 1_000;
  const midnights = [
    ...["2026-11-23", "2026-11-24", "2026-11-30", "2026-12-01", "2027-01-01", "2027-01-04"],
    ...["2027-02-28", "2027-03-01", "2028-02-29", "2028-03-01", "2028-12-31", "2100-02-28"],
    ...["2100-03-01", "2000-02-29", "2000-03-01", "2038-01-19", "2399-12-31", "2400-02-29"],
  ].map((day) => seconds(`${day}T00:00:00Z`));
  const days = Array.from({ length: 400 }, (_, day) => seconds("2026-11-01T00:00:00Z") + day * DAY);
  let begun = 0;
  for (const period of PERIODS.slice(1)) {
    for (const midnight of [...midnights, ...days]) {
      const indexOf = (at: number) =>
        f.client.readContract({
          address: deployment.periodLimits as Address,
          abi: periodLimitsAbi,
          functionName: "indexOf",
          args: [PERIODS.indexOf(period), BigInt(at)],
        });
      const [before, after] = await Promise.all([indexOf(midnight - 1), indexOf(midnight)]);
      const [ledger] = await database.query<{ begins: boolean }>(
        "select date_trunc($1, to_timestamp($2), 'UTC') = to_timestamp($2) as begins",
        [period, midnight],
      );
      expect(after - before, `${period} at ${midnight}`).toBe(ledger?.begins ? 1n : 0n);
      begun += ledger?.begins ? 1 : 0;
    }
  }
  expect(begun).toBeGreaterThan(450);
  await database.close();
});
