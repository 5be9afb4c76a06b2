import { type Address, keccak256, stringToHex } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { LedgerBalance, LedgerMovements } from "@/lib/domain/chain-ports.ts";
import { longTest } from "@/lib/testing/in-full.ts";
import { plansAbi } from "../abis.ts";
import { burnCall } from "../bundler/user-operation.ts";
import { type ChainFixture, startChainFixture } from "../testing/chain-fixture.ts";
import { limited, mineBeyondLimit } from "../testing/limited-node.ts";
import { createEventSums } from "./event-sums.ts";
import { reconcileCredits } from "./reconcile.ts";

type LedgerCredits = LedgerBalance & LedgerMovements;

let f: ChainFixture;
let planId: bigint;
let account: Address;
let other: Address;

beforeAll(async () => {
  f = await startChainFixture();
  planId = await f.registerPlan();
  const made = await f.createGrant("holder");
  account = made.account.address;
  other = (await f.createAccount("other")).address;
  await f.mint(planId, account, 100n);
  await f.mint(planId, other, 10n);
  const root = keccak256(stringToHex("receipts"));
  const burn = burnCall(f.deployment, { holder: account, planId, amount: 30n, count: 10n, root });
  expect(await f.act(made.grant, made.sessionKey, [burn])).toBe("done");
  const ref = keccak256(stringToHex("refund"));
  await f.write(f.deployment.plans, plansAbi, "takeBack", [planId, account, 5n, ref]);
});
afterAll(async () => {
  await f.stop();
});

const ledgerRow = (changes: Partial<LedgerCredits> = {}): LedgerCredits => ({
  account,
  planId,
  balance: 65n,
  minted: 100n,
  burned: 30n,
  takenBack: 5n,
  expired: 0n,
  pendingMints: 0n,
  pendingBurns: 0n,
  ...changes,
});
const reconcile = async (...ledger: LedgerCredits[]) =>
  reconcileCredits({
    ...f,
    pages: [ledger],
    block: await f.client.getBlockNumber(),
    readMovements: async (row) => row as LedgerCredits,
    readEvents: createEventSums(f),
  });

test("a ledger that agrees with the chain has no difference", async () => {
  const otherRow = ledgerRow({
    account: other,
    balance: 10n,
    minted: 10n,
    burned: 0n,
    takenBack: 0n,
  });
  expect(await reconcile(ledgerRow(), otherRow)).toMatchObject({
    checked: 2,
    difference: 0n,
    inFlight: 0n,
    differences: [],
  });
});

test("credits in flight to the chain are not a difference", async () => {
  const row = ledgerRow({
    balance: 58n,
    minted: 103n,
    burned: 40n,
    pendingMints: 3n,
    pendingBurns: 10n,
  });
  expect(await reconcile(row)).toMatchObject({ difference: 0n, inFlight: 13n });
});

test("a burn the chain never saw is named, with its amount", async () => {
  const { difference, differences } = await reconcile(ledgerRow({ balance: 63n, burned: 32n }));
  expect(difference).toBe(2n);
  expect(differences).toEqual([
    {
      account,
      planId,
      expected: 63n,
      actual: 65n,
      reasons: [{ reason: "burn_missing", amount: 2n }],
    },
  ]);
});

longTest(
  "differences are named at a node that limits how many blocks one request spans",
  async () => {
    await mineBeyondLimit(f.client);
    const row = ledgerRow({ balance: 63n, burned: 32n });
    const { differences } = await reconcileCredits({
      ...f,
      pages: [[row]],
      block: await f.client.getBlockNumber(),
      readMovements: async () => row,
      readEvents: createEventSums({ ...f, client: limited(f.client) }),
    });
    expect(differences[0]?.reasons).toEqual([{ reason: "burn_missing", amount: 2n }]);
  },
  60_000,
);

test.each([
  ["mint_missing", { balance: 165n, minted: 200n }, 100n],
  ["mint_unknown", { balance: 55n, minted: 90n }, 10n],
  ["burn_unknown", { balance: 75n, burned: 20n }, 10n],
  ["take_back_missing", { balance: 60n, takenBack: 10n }, 5n],
  ["take_back_unknown", { balance: 70n, takenBack: 0n }, 5n],
  ["expiry_missing", { balance: 0n, expired: 65n }, 65n],
] as const)("%s is told apart from the others", async (reason, changes, amount) => {
  const { difference, differences } = await reconcile(ledgerRow(changes));
  expect(difference).toBe(amount);
  expect(differences[0]?.reasons).toEqual([{ reason, amount }]);
});
