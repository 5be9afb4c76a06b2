import { PlanRedemptionType } from "@turnpike/payments/protocol";
import { generatePrivateKey, privateKeyToAddress } from "viem/accounts";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { GrantRow, GrantStore, LedgerBurn } from "@/lib/domain/chain-ports.ts";
import type { Accounts } from "@/lib/domain/ports.ts";
import { planDeployment } from "../deployment-plan.ts";
import { createGrantBook } from "../grants/grant-book.ts";
import { smartAccount } from "../smart-account.ts";
import { createDescribeBurns } from "./describe-burns.ts";

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

test("burns of a plan that its owner redeems don't each ask for the time, and go under a new grant in a new month", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  const ownerKey = generatePrivateKey();
  const owner = privateKeyToAddress(ownerKey);
  const roles = { admin: owner, pauser: owner, operator: owner };
  const plan = { chainId: 84532, roles, sandbox: true, framework: "own" } as const;
  const { deployment } = planDeployment(plan);
  const { address } = smartAccount({ deployment, owner });
  const rows: GrantRow[] = [];
  const now = vi.fn(async () => new Date("2026-11-30T23:59:00Z"));
  const grants = createGrantBook({
    deployment,
    stableTokens: new Map(),
    now,
    store: {
      find: async (id: string) => rows.find(({ grantId }) => grantId === id) ?? null,
      insert: async (row: GrantRow) => {
        rows.push(row);
        return row;
      },
    } as unknown as GrantStore,
    accounts: { find: async () => ({ owner, ownerKey }) } as unknown as Accounts,
    createKey: () => ({ address: privateKeyToAddress(generatePrivateKey()), sealedKey: "sealed" }),
    open: (sealed) => sealed,
  });
  const describeBurns = createDescribeBurns({
    grants,
    findDelegation: async () => null,
    onOddFacts: () => {},
  });
  const burn = {
    settlementId: "s",
    amount: 1n,
    attempts: 0,
    account: address,
    planId: "42",
    planOwner: address,
    redemptionType: PlanRedemptionType.ONLY_OWNER,
  } as unknown as LedgerBurn;
  const grantsOf = async (burns: LedgerBurn[]) => {
    const { operations } = await describeBurns(burns);
    return operations.map(({ grant }) => grant);
  };

  const round = await grantsOf(new Array(100).fill(burn));
  expect(new Set(round).size).toBe(1);
  expect(rows.map(({ grantId }) => grantId)).toEqual([`redeem:${address}:2026-11`]);
  // Once to find the grant, once to sign it.
  expect(now).toHaveBeenCalledTimes(2);

  now.mockResolvedValue(new Date("2026-12-01T00:00:00Z"));
  const later = performance.now() + 60_000;
  vi.spyOn(performance, "now").mockReturnValue(later);
  // The cache remembers the time for a millisecond.
  vi.advanceTimersByTime(1);
  expect(await grantsOf([burn])).not.toEqual(round.slice(0, 1));
  expect(rows).toHaveLength(2);
});

describe("a burn that can't be described", () => {
  const burn = {
    settlementId: "good",
    account: privateKeyToAddress(generatePrivateKey()),
    planId: "42",
    redemptionType: PlanRedemptionType.ONLY_OWNER,
  } as unknown as LedgerBurn;
  const describeWith = (forRedemption: () => Promise<unknown>) => {
    const onOddFacts = vi.fn();
    const grants = { forRedemption } as unknown as ReturnType<typeof createGrantBook>;
    const findDelegation = async () => null;
    return {
      describeBurns: createDescribeBurns({ grants, findDelegation, onOddFacts }),
      onOddFacts,
    };
  };

  test("is set aside where its facts are odd, and the others burn", async () => {
    const { describeBurns, onOddFacts } = describeWith(async () => ({}));
    const odd = { ...burn, settlementId: "odd", account: "not an address" };
    const { operations, unreadable } = await describeBurns([odd, burn]);
    expect(operations).toMatchObject([{ settlementId: "good" }]);
    expect(unreadable).toMatchObject([
      { settlementId: "odd", reason: expect.stringContaining("invalid") },
    ]);
    expect(onOddFacts).toHaveBeenCalledExactlyOnceWith("odd", expect.any(Error));
  });

  test("ends the round where the database is at fault", async () => {
    const { describeBurns, onOddFacts } = describeWith(async () => {
      throw new Error("Connection terminated");
    });
    await expect(describeBurns([burn])).rejects.toThrow("Connection terminated");
    expect(onOddFacts).not.toHaveBeenCalled();
  });
});
