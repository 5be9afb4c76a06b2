import { type Address, keccak256, stringToHex, toHex } from "viem";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { CreditsLedger, LedgerMovements } from "@/lib/domain/chain-ports.ts";
import { creditsAbi } from "../abis.ts";
import { type TransactionSender, TransactionUnknown } from "../bundler/transaction-sender.ts";
import { burnCall } from "../bundler/user-operation.ts";
import { createChainClient } from "../chain-client.ts";
import { type ChainFixture, startChainFixture } from "../testing/chain-fixture.ts";
import { startNodeInFront } from "../testing/node-in-front.ts";
import { createReconciler } from "./reconciler.ts";

const GRANTED = 10n;
const DAY = 86_400;
const GOES_ON = new AbortController().signal;
let f: ChainFixture;

beforeAll(async () => {
  f = await startChainFixture();
});
afterAll(async () => {
  await f.stop();
});

type Held = { planId: bigint; account: Address };

/** A holder with ten credits on chain, and what they burn there themselves. */
async function holder(name: string, durationSecs = 0n) {
  const planId = await f.registerPlan({ durationSecs });
  const { account, grant, sessionKey } = await f.createGrant(name);
  const held: Held = { planId, account: account.address };
  await f.mint(planId, account.address, GRANTED);
  const burn = async (amount: bigint) => {
    const root = keccak256(stringToHex(`outside ${name}`));
    const call = burnCall(f.deployment, { holder: held.account, planId, amount, count: 1n, root });
    expect(await f.act(grant, sessionKey, [call])).toBe("done");
  };
  return { ...held, burn };
}

/** Compares the chain with a ledger of one balance. `outside` is what was noted of the holder's own acts on chain. */
async function compare(
  { account, planId }: Held,
  ledger: Partial<LedgerMovements> & { failed?: bigint[]; outside?: bigint },
) {
  const { failed = [], outside = 0n, ...changes } = ledger;
  const movements = { minted: GRANTED, burned: 0n, takenBack: 0n, expired: 0n, ...changes };
  const { minted, burned, takenBack, expired } = movements;
  const balance = minted - burned - takenBack - expired;
  const madeUp: string[] = [];
  const book: CreditsLedger = {
    listOpenBundles: async () => [],
    listBalances: async () => [{ account, planId, balance, pendingMints: 0n, pendingBurns: 0n }],
    readMovements: async () => movements,
    listFailedBurns: async () =>
      failed.map((amount, index) => ({ settlementId: `${account} ${index}`, amount })),
    markMadeUp: async (settlementId) => void madeUp.push(settlementId),
  };
  const reconciler = createReconciler({
    operator: f,
    ledger: book,
    readEvents: () => f.client.getBlockNumber(),
    sumExplained: async (balances) => balances.map(() => outside),
  });
  const { difference, inFlight, waitingForCap } = await reconciler.run();
  await reconciler.expire(GOES_ON);
  return { difference, inFlight, waitingForCap, madeUp: madeUp.length };
}

const advance = async (secs: number) => {
  await f.client.request({ method: "evm_increaseTime", params: [secs] } as never);
  await f.client.request({ method: "anvil_mine", params: ["0x1"] } as never);
};
const agreed = { difference: 0n, inFlight: 0n, waitingForCap: 0n, madeUp: 0 };

test("a holder who burns on chain what they then use in the ledger makes no difference", async () => {
  const them = await holder("burner");
  await them.burn(6n);
  expect(await compare(them, { outside: -6n })).toEqual(agreed);
  // The chain has four left, and refused to burn five more.
  const used = { burned: 5n, failed: [5n], outside: -6n };
  expect(await compare(them, used)).toEqual({ ...agreed, inFlight: 5n });
  // Once it has credits again, the refused burn is made up for.
  await f.mint(them.planId, them.account, GRANTED);
  expect(await compare(them, { ...used, minted: 20n })).toEqual({ ...agreed, madeUp: 1 });
  expect(await f.credits(them.account, them.planId)).toBe(9n);
});

test("what a holder burned on chain of credits that expire makes no difference", async () => {
  const them = await holder("burner of what expires", 1_000n);
  await them.burn(4n);
  await advance(1_001);
  const ledger = { expired: GRANTED, outside: -4n };
  expect(await compare(them, ledger)).toEqual({ ...agreed, inFlight: 6n });
  await advance(2 * DAY);
  expect(await compare(them, ledger)).toEqual({ ...agreed, inFlight: 6n });
  expect(await f.credits(them.account, them.planId)).toBe(0n);
  expect(await compare(them, ledger)).toEqual(agreed);
});

test("a run that finds many credits expired has its result before it removes one, and removes some at a time", async () => {
  const planId = await f.registerPlan({ durationSecs: 1_000n });
  const accounts = Array.from({ length: 51 }, (_, index) => toHex(index + 1, { size: 20 }));
  for (const account of accounts) await f.mint(planId, account, 1n);
  await advance(3 * DAY);
  const sent = vi.fn(f.sender.send);
  const reconciler = openExpiring({ planId, accounts, send: sent });
  expect(await reconciler.run()).toMatchObject({ difference: 0n, inFlight: 51n });
  expect(reconciler.last()).toMatchObject({ difference: 0n });
  expect(sent).not.toHaveBeenCalled();
  expect(await reconciler.expire(GOES_ON)).toBe(50);
  expect(sent).toHaveBeenCalledTimes(50);
  expect(await reconciler.run()).toMatchObject({ inFlight: 1n });
});

type Expiring = {
  planId: bigint;
  accounts: readonly Address[];
  send: TransactionSender["send"];
};

/** A reconciler of accounts with one credit each, which have expired, over a sender of the test's own. */
function openExpiring({ planId, accounts, send }: Expiring) {
  const balance = { balance: 0n, pendingMints: 0n, pendingBurns: 0n };
  return createReconciler({
    operator: { ...f, sender: { ...f.sender, send } },
    ledger: {
      listOpenBundles: async () => [],
      listBalances: async () => accounts.map((account) => ({ account, planId, ...balance })),
      readMovements: async () => ({ minted: 1n, burned: 0n, takenBack: 0n, expired: 1n }),
      listFailedBurns: async () => [],
      markMadeUp: async () => {},
    },
    readEvents: () => f.client.getBlockNumber(),
    sumExplained: async (balances) => balances.map(() => 0n),
  });
}

test.each(["after its time", "when the service stops"])(
  "removing credits ends %s though a transaction is in no block yet, and the rest is removed later",
  async (when) => {
    const planId = await f.registerPlan({ durationSecs: 1_000n });
    const accounts = Array.from({ length: 3 }, (_, index) => toHex(index + 1, { size: 20 }));
    for (const account of accounts) await f.mint(planId, account, 1n);
    await advance(3 * DAY);
    const [stopping, late] = [new AbortController(), new AbortController()];
    const limit = vi.spyOn(AbortSignal, "timeout");
    const sent: string[] = [];
    let isSlow = true;
    /** Its second transaction is in no block while the chain is slow. */
    const send: TransactionSender["send"] = ({ signal, ...request }) => {
      sent.push(`0x${request.data.slice(34, 74)}`);
      if (!isSlow || sent.length === 1) return f.sender.send(request);
      (when === "after its time" ? late : stopping).abort();
      return new Promise((_, fail) => {
        const end = () => fail(new TransactionUnknown("0x"));
        if (signal?.aborted) end();
        signal?.addEventListener("abort", end);
      });
    };
    const reconciler = openExpiring({ planId, accounts, send });
    await reconciler.run();
    limit.mockReturnValueOnce(late.signal);
    expect(await reconciler.expire(stopping.signal)).toBe(1);
    expect(limit).toHaveBeenCalledWith(60_000);
    limit.mockRestore();
    expect(sent).toEqual(accounts.slice(0, 2));
    isSlow = false;
    await reconciler.run();
    expect(await reconciler.expire(GOES_ON)).toBe(2);
    expect(sent.slice(2).sort()).toEqual(accounts.slice(1));
  },
);

test("expired credits whose removal keeps failing hold up none behind them", async () => {
  const planId = await f.registerPlan({ durationSecs: 1_000n });
  const accounts = Array.from({ length: 3 }, (_, index) => toHex(index + 1, { size: 20 }));
  for (const account of accounts) await f.mint(planId, account, 1n);
  await advance(3 * DAY);
  const send: TransactionSender["send"] = async (request) => {
    if (request.data.includes((accounts[0] as string).slice(2))) throw new TransactionUnknown("0x");
    return f.sender.send(request);
  };
  const reconciler = openExpiring({ planId, accounts, send });
  await reconciler.run();
  await expect(reconciler.expire(GOES_ON)).rejects.toThrow();
  await reconciler.run();
  await expect(reconciler.expire(GOES_ON)).rejects.toThrow();
  expect(await reconciler.run()).toMatchObject({ inFlight: 1n });
});

test("credits that a holder ordered on chain themselves may expire with the others", async () => {
  const them = await holder("buyer of what expires", 1_000n);
  await f.mint(them.planId, them.account, GRANTED);
  await advance(2 * DAY);
  const ledger = { expired: GRANTED, outside: GRANTED };
  // The run removes them from the chain, and the next one sees it.
  expect(await compare(them, ledger)).toEqual({ ...agreed, inFlight: GRANTED });
  expect(await f.credits(them.account, them.planId)).toBe(0n);
  expect(await compare(them, ledger)).toEqual(agreed);
});

test("credits that expired on chain a moment before the ledger prolonged them make no difference", async () => {
  const them = await holder("late", 1_000n);
  await advance(2 * DAY);
  await f.write(f.deployment.credits, creditsAbi, "expire", [them.account, them.planId]);
  await f.mint(them.planId, them.account, GRANTED);
  expect(await compare(them, { minted: 2n * GRANTED })).toEqual(agreed);
});

test("a refused burn beside expired credits is taken back, and the rest waits to expire", async () => {
  const them = await holder("both", 1_000n);
  await advance(1_001);
  const ledger = { burned: 3n, expired: 7n, failed: [3n] };
  expect(await compare(them, ledger)).toEqual({ ...agreed, inFlight: 7n, madeUp: 1 });
  expect(await f.credits(them.account, them.planId)).toBe(7n);
});

test("a burn whose making up was written late keeps no later one waiting", async () => {
  const them = await holder("forgetful");
  expect(await compare(them, { burned: 2n, failed: [8n, 2n] })).toEqual({ ...agreed, madeUp: 1 });
  expect(await f.credits(them.account, them.planId)).toBe(8n);
});

test("credits that a holder ordered on chain themselves don't hide as many that are missing", async () => {
  const them = await holder("hidden");
  // The ledger has twenty, of which the chain never got ten; the ten that it has beside them are of the holder's own order.
  await f.mint(them.planId, them.account, GRANTED);
  const ledger = { minted: 20n, outside: GRANTED };
  expect(await compare(them, ledger)).toMatchObject({ difference: GRANTED });
});

test("credits that no one explains stay a difference", async () => {
  const them = await holder("robbed");
  await them.burn(4n);
  expect(await compare(them, {})).toMatchObject({ difference: 4n });
  expect(await compare(them, { expired: GRANTED })).toMatchObject({ difference: 4n });
});

test("a balance whose repair fails hides no other one that differs", async () => {
  const [unrepaired, robbed] = [await holder("unrepaired"), await holder("robbed beside it")];
  await robbed.burn(4n);
  const isUnrepaired = ({ account }: { account: string }) => account === unrepaired.account;
  const balances = [unrepaired, robbed].map((each) => ({
    ...each,
    balance: isUnrepaired(each) ? 7n : GRANTED,
    pendingMints: 0n,
    pendingBurns: 0n,
  }));
  const send = vi.fn().mockRejectedValue(new Error("insufficient funds for gas"));
  let failed = [{ settlementId: "refused", amount: 3n }];
  const reconciler = createReconciler({
    operator: { ...f, sender: { ...f.sender, send } },
    ledger: {
      listOpenBundles: async () => [],
      listBalances: async () => balances,
      readMovements: async (row) => ({
        minted: GRANTED,
        burned: isUnrepaired(row) ? 3n : 0n,
        takenBack: 0n,
        expired: 0n,
      }),
      listFailedBurns: async (row) => (isUnrepaired(row) ? failed : []),
      markMadeUp: async () => {},
    },
    readEvents: () => f.client.getBlockNumber(),
    sumExplained: async (rows) => rows.map(() => 0n),
  });
  const runFails = () => expect(reconciler.run()).rejects.toThrow("insufficient funds");
  await runFails();
  expect(reconciler.last()).toMatchObject({
    difference: 4n,
    differences: [{ account: robbed.account }],
  });
  expect(reconciler.findFailedRepair()).toBeNull();
  await runFails();
  expect(reconciler.findFailedRepair()).toMatchObject({ message: "insufficient funds for gas" });
  // What differed before still does while its repair fails.
  const repairable = failed;
  failed = [];
  expect(await reconciler.run()).toMatchObject({ difference: 7n });
  expect(reconciler.findFailedRepair()).toBeNull();
  failed = repairable;
  await runFails();
  expect(reconciler.last()).toMatchObject({ difference: 7n });
});

test("balances that differ are read in one pass over the chain, and later only from where it ended", async () => {
  let asked: { fromBlock: bigint; question: string }[] = [];
  const node = await startNodeInFront(
    () => f.chain.rpcUrl,
    ({ method, params }) => {
      if (method !== "eth_getLogs") return undefined;
      const [{ fromBlock }] = params as [{ fromBlock: string }];
      asked.push({ fromBlock: BigInt(fromBlock), question: JSON.stringify(params) });
      return undefined;
    },
  );
  const holders = [await holder("robbed 1"), await holder("robbed 2"), await holder("robbed 3")];
  for (const { burn } of holders) await burn(4n);
  const movements = { minted: GRANTED, burned: 0n, takenBack: 0n, expired: 0n };
  const balance = { balance: GRANTED, pendingMints: 0n, pendingBurns: 0n };
  const client = createChainClient({ rpcUrl: node.rpcUrl, chainId: f.deployment.chainId });
  const reconciler = createReconciler({
    operator: { ...f, client },
    ledger: {
      listOpenBundles: async () => [],
      listBalances: async () => holders.map((each) => ({ ...each, ...balance })),
      readMovements: async () => movements,
      listFailedBurns: async () => [],
      markMadeUp: async () => {},
    },
    readEvents: () => f.client.getBlockNumber(),
    sumExplained: async (balances) => balances.map(() => 0n),
  });
  const reasonsOf = async () => {
    asked = [];
    const { differences } = await reconciler.run();
    return differences.map(({ reasons }) => reasons);
  };
  const burned = [{ reason: "burn_unknown", amount: 4n }];
  expect(await reasonsOf()).toEqual([burned, burned, burned]);
  const questions = asked.map(({ question }) => question);
  expect(questions, "each is asked once").toEqual([...new Set(questions)]);

  await f.client.request({ method: "anvil_mine", params: ["0x64"] } as never);
  await reasonsOf();
  await f.mint(holders[0]?.planId ?? 0n, holders[0]?.account ?? "0x", 1n);
  const minted = [{ reason: "mint_unknown", amount: 1n }, ...burned];
  expect(await reasonsOf()).toEqual([minted, burned, burned]);
  const latest = await f.client.getBlockNumber();
  expect(asked.filter(({ fromBlock }) => fromBlock < latest - 100n)).toEqual([]);
  node.close();
});
