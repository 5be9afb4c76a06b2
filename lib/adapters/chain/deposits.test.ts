import {
  BlockNotFoundError,
  encodeEventTopics,
  erc20Abi,
  getAddress,
  type Hex,
  RpcRequestError,
  TransactionReceiptNotFoundError,
  toHex,
} from "viem";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Database } from "../db/client.ts";
import { createDeposits } from "../db/money/deposits.ts";
import { openRuleStore } from "../db/testing/stores.ts";
import type { ChainClient } from "./chain-client.ts";
import { openStablecoin } from "./deposits.ts";

const TOKEN = "0x00000000000000000000000000000000000000A1";
const FOLLOWED = getAddress("0x00000000000000000000000000000000000000b1");
const OTHER = getAddress("0x00000000000000000000000000000000000000b2");
const PAYER = "0x00000000000000000000000000000000000000c3";

type Transfer = { to: string; value: bigint; block: bigint; tx: string; log?: number; at?: Date };
let database: Database;
let transfers: Transfer[] = [];
/** How many accounts each request for events was about. */
let asked: number[] = [];
/** The blocks that were asked for by number: a node behind the same address may lack them. */
let blocks: bigint[] = [];
let latest = 0n;
/** The first block that a second node behind the same address lacks: it lists events and blocks. */
let lacking = 0n;
const CHAIN_ID = 84532;
let chainId = CHAIN_ID;

/** A node that answers what the token's events are now. */
const client = {
  getChainId: async () => chainId,
  getBlockNumber: async () => latest,
  getBlock: async (named?: { blockNumber: bigint }) => {
    const number = named?.blockNumber ?? latest;
    if (named) blocks.push(number);
    if (named && number >= lacking) throw new BlockNotFoundError({ blockNumber: number });
    const at = transfers.find(({ block }) => block === number)?.at ?? new Date();
    return { number, timestamp: BigInt(Math.floor(at.getTime() / 1000)) };
  },
  getLogs: async ({ args, fromBlock, toBlock }: LogQuery) => {
    asked.push(args.to.length);
    const found = transfers
      .filter(({ to, block }) => args.to.includes(to) && block >= fromBlock && block <= toBlock)
      .filter(({ block }) => block < unlisted);
    if (found.length > mostLogs) throw tooMany;
    return found.map(({ to, value, block, tx, log = 0 }) => ({
      args: { from: PAYER, to, value },
      transactionHash: tx,
      logIndex: log,
      blockNumber: block,
    }));
  },
  getTransactionReceipt: async ({ hash }: { hash: Hex }) => {
    const sent = transfers.filter(({ tx }) => tx === hash);
    if (sent.length === 0) throw new TransactionReceiptNotFoundError({ hash });
    const logs = sent.map(({ to, value }) => ({
      address: TOKEN,
      topics: encodeEventTopics({
        abi: erc20Abi,
        eventName: "Transfer",
        args: { from: PAYER, to: to as Hex },
      }),
      data: toHex(value, { size: 32 }),
    }));
    return { status: "success", logs };
  },
} as unknown as ChainClient;
/** How many events the node lists in one answer. */
let mostLogs = Number.POSITIVE_INFINITY;
const tooMany = new RpcRequestError({
  body: {},
  url: "https://node.example",
  error: { code: -32005, message: "query returned more than 10000 results" },
});
/** The first block whose events that node does not list. */
let unlisted = 0n;
type LogQuery = { args: { to: string[] }; fromBlock: bigint; toBlock: bigint };

beforeAll(async () => {
  database = await openRuleStore();
  await database.query(
    "insert into accounts (address, owner, created_at) select a, a, now() from unnest($1::text[]) a",
    [[FOLLOWED, OTHER]],
  );
});
afterAll(() => database.close());
beforeEach(async () => {
  transfers = [];
  latest = 100n;
  chainId = CHAIN_ID;
  lacking = 10n ** 9n;
  unlisted = 10n ** 9n;
  mostLogs = Number.POSITIVE_INFINITY;
  for (const table of ["deposits", "event_queue", "chain_cursors", "webhook_endpoints"]) {
    await database.query(`delete from ${table}`, []);
  }
});

const open = () => {
  const stablecoin = openStablecoin({
    client,
    deployment: { usdc: TOKEN, block: 1, chainId: CHAIN_ID } as unknown as Parameters<
      typeof openStablecoin
    >[0]["deployment"],
    deposits: createDeposits(database),
  });
  if (!stablecoin) throw new Error("The deployment has a token.");
  return stablecoin;
};
const events = () =>
  database.query(
    "select type, accounts, data->>'amount' as amount from event_queue where type = 'deposit.received' order by id",
    [],
  );
const rows = () => database.query("select tx_hash as tx, block from deposits order by block", []);

test("a transfer to a followed account is found in the background and makes one event", async () => {
  const stablecoin = open();
  await stablecoin.readDeposits(FOLLOWED);
  transfers = [
    { to: FOLLOWED, value: 5n, block: 101n, tx: "0xa" },
    { to: OTHER, value: 6n, block: 101n, tx: "0xb" },
  ];
  latest = 101n;
  await stablecoin.followDeposits();
  await Promise.all([stablecoin.followDeposits(), stablecoin.readDeposits(FOLLOWED)]);
  latest = 102n;
  await Promise.all([stablecoin.followDeposits(), stablecoin.followDeposits()]);
  expect(await events()).toEqual([{ type: "deposit.received", accounts: [FOLLOWED], amount: "5" }]);
});

test("the time of the block up to which they are read is known once all are", async () => {
  const stablecoin = open();
  const at = new Date("2026-01-31T23:59:58Z");
  transfers = [{ to: FOLLOWED, value: 5n, block: 100n, tx: "0xa", at }];
  expect(await stablecoin.readDeposits(FOLLOWED)).toEqual(at);
  blocks = [];
  latest = 101n;
  await stablecoin.readDeposits(FOLLOWED);
  // With its events, and of the transfer: the head's own time came with its number.
  expect(blocks).toEqual([101n, 100n]);
  latest = 150_000n;
  expect(await stablecoin.readDeposits(FOLLOWED)).toBeNull();
  expect(await stablecoin.readDeposits(FOLLOWED)).toBeInstanceOf(Date);
});

test("a block that the chain replaced takes its transfer along, and moves one that was included again", async () => {
  const stablecoin = open();
  await stablecoin.readDeposits(FOLLOWED);
  transfers = [
    { to: FOLLOWED, value: 5n, block: 101n, tx: "0xa" },
    { to: FOLLOWED, value: 6n, block: 101n, tx: "0xb" },
  ];
  latest = 101n;
  await stablecoin.followDeposits();
  transfers = [{ to: FOLLOWED, value: 5n, block: 102n, tx: "0xa" }];
  latest = 102n;
  await stablecoin.followDeposits();
  expect(await rows()).toEqual([{ tx: "0xa", block: 102 }]);
  expect(await events()).toHaveLength(2);
});

test("a transfer that moves to another place of another block is told of once", async () => {
  const stablecoin = open();
  await stablecoin.readDeposits(FOLLOWED);
  transfers = [
    { to: FOLLOWED, value: 5n, block: 101n, tx: "0xa", log: 7 },
    { to: FOLLOWED, value: 5n, block: 101n, tx: "0xa", log: 8 },
  ];
  latest = 101n;
  await stablecoin.followDeposits();
  transfers = [
    { to: FOLLOWED, value: 5n, block: 102n, tx: "0xa", log: 8 },
    { to: FOLLOWED, value: 5n, block: 102n, tx: "0xa", log: 9 },
  ];
  latest = 102n;
  await Promise.all([stablecoin.followDeposits(), stablecoin.readDeposits(FOLLOWED)]);
  expect(await rows()).toEqual([
    { tx: "0xa", block: 102 },
    { tx: "0xa", block: 102 },
  ]);
  expect(await events()).toHaveLength(2);
});

test("a node that lacks the last block takes no transfer away", async () => {
  const stablecoin = open();
  await stablecoin.readDeposits(FOLLOWED);
  transfers = [{ to: FOLLOWED, value: 5n, block: 101n, tx: "0xa" }];
  latest = 101n;
  await stablecoin.followDeposits();
  latest = 102n;
  [lacking, unlisted] = [101n, 101n];
  await expect(stablecoin.followDeposits()).rejects.toThrow("could not be found");
  expect(await rows()).toHaveLength(1);
  // Another node answers whether the block is there.
  lacking = 10n ** 9n;
  await stablecoin.followDeposits();
  expect(await rows()).toHaveLength(1);
  unlisted = 10n ** 9n;
  latest = 103n;
  await stablecoin.followDeposits();
  expect(await events()).toHaveLength(1);
});

test("a node of another chain is not read, whatever its latest block", async () => {
  const stablecoin = open();
  await stablecoin.readDeposits(FOLLOWED);
  [chainId, latest] = [1, 100_000n];
  await expect(stablecoin.followDeposits()).rejects.toThrow("is of chain 1");
  transfers = [{ to: FOLLOWED, value: 5n, block: 101n, tx: "0xa" }];
  [chainId, latest] = [CHAIN_ID, 101n];
  await stablecoin.followDeposits();
  expect(await rows()).toEqual([{ tx: "0xa", block: 101 }]);
});

test("transfers are read where earlier readings ended at a block that the chain does not have", async () => {
  const stablecoin = open();
  await stablecoin.readDeposits(FOLLOWED);
  await database.query("update chain_cursors set block = 100000 where contract like 'dep%'", []);
  transfers = [{ to: FOLLOWED, value: 5n, block: 50n, tx: "0xa" }];
  await stablecoin.readDeposits(FOLLOWED);
  expect(await rows()).toEqual([{ tx: "0xa", block: 50 }]);
});

test("a node that is behind is read from its own latest block", async () => {
  const stablecoin = open();
  latest = 1_000n;
  await stablecoin.readDeposits(FOLLOWED);
  transfers = [{ to: FOLLOWED, value: 5n, block: 801n, tx: "0xa" }];
  latest = 801n;
  await stablecoin.readDeposits(FOLLOWED);
  expect(await rows()).toEqual([{ tx: "0xa", block: 801 }]);
});

test("a look that is answered by a node that stopped an hour ago sends no reading back", async () => {
  const stablecoin = open();
  latest = 10_000n;
  await stablecoin.readDeposits(FOLLOWED);
  expect(await stablecoin.followDeposits()).toBe(true);
  asked = [];
  latest = 7_000n;
  expect(await stablecoin.followDeposits()).toBe(false);
  expect(await stablecoin.readDeposits(FOLLOWED)).toBeNull();
  expect(asked).toEqual([]);
  latest = 10_001n;
  transfers = [{ to: FOLLOWED, value: 5n, block: 10_001n, tx: "0xa" }];
  expect(await stablecoin.readDeposits(FOLLOWED)).toBeInstanceOf(Date);
  expect(await stablecoin.followDeposits()).toBe(true);
  expect(await rows()).toEqual([{ tx: "0xa", block: 10_001 }]);
  // Where no node has had the blocks for minutes, they are read again, for everyone.
  latest = 7_000n;
  transfers = [{ to: FOLLOWED, value: 5n, block: 6_000n, tx: "0xb" }];
  for (let look = 0; look < 70; look += 1) await stablecoin.followDeposits();
  expect(await stablecoin.readDeposits(FOLLOWED)).toBeInstanceOf(Date);
  expect(await rows()).toContainEqual({ tx: "0xb", block: 6_000 });
});

test("a transfer that is read hours late makes its event, and what an account's first reading finds makes none", async () => {
  const stablecoin = open();
  const at = new Date(Date.now() - 3 * 3_600_000);
  transfers = [{ to: FOLLOWED, value: 4n, block: 50n, tx: "0xb", at }];
  await stablecoin.readDeposits(FOLLOWED);
  await stablecoin.followDeposits();
  expect(await events()).toEqual([]);
  transfers.push({ to: FOLLOWED, value: 5n, block: 101n, tx: "0xa", at });
  latest = 5_000n;
  await stablecoin.followDeposits();
  expect(await events()).toMatchObject([{ amount: "5" }]);
});

test("an account that is many blocks behind is read in the background until it is complete, and makes no events of old transfers", async () => {
  const stablecoin = open();
  latest = 101_000n;
  const at = new Date(Date.now() - 3 * 3_600_000);
  transfers = [{ to: OTHER, value: 5n, block: 100_500n, tx: "0xa", at }];
  expect(await stablecoin.readDeposits(OTHER)).toBeNull();
  expect(await rows()).toEqual([]);
  await stablecoin.followDeposits();
  expect(await rows()).toEqual([{ tx: "0xa", block: 100_500 }]);
  expect(await stablecoin.readDeposits(OTHER)).toBeInstanceOf(Date);
  expect(await events()).toEqual([]);
});

const addWebhook = (account: string) =>
  database.query(
    `insert into webhook_endpoints (endpoint_id, account, url, events, state, secret, secret_hint, secret_at, created_at)
     values ('e', $1, 'https://builder.example', '{*}', 'active', '', '', now(), now())`,
    [account],
  );

test("an account is followed once its transfers were read or it has a webhook", async () => {
  const { listFollowed } = createDeposits(database);
  expect(await listFollowed(TOKEN)).toEqual([]);
  await open().readDeposits(OTHER);
  expect(await listFollowed(TOKEN)).toEqual([OTHER]);
  await addWebhook(FOLLOWED);
  expect(await listFollowed(TOKEN)).toEqual([FOLLOWED, OTHER].sort());
});

/** Follows so many more accounts, all of which were read up to the latest block. */
async function followMany(count: number): Promise<string[]> {
  const ours = Array.from({ length: count }, (_, at) =>
    getAddress(toHex(at + 1_000, { size: 20 })),
  );
  await database.query(
    "insert into accounts (address, owner, created_at) select a, a, now() from unnest($1::text[]) a on conflict do nothing",
    [ours],
  );
  await database.query(
    "insert into chain_cursors select $1 || a, $2::bigint, $2::bigint from unnest($3::text[]) a",
    [`deposits ${TOKEN} `, `${latest}`, [...ours, "followed"]],
  );
  return ours;
}

test("a look at thousands of accounts asks the node a few times, and the next looks go on to the others", async () => {
  const ours = await followMany(5_000);
  const stablecoin = open();
  const [last, middle] = [ours.at(-1) as string, ours[2_500] as string];
  latest = 101n;
  transfers = [
    { to: last, value: 5n, block: 101n, tx: "0xa" },
    { to: middle, value: 6n, block: 101n, tx: "0xb" },
  ];
  const looks: number[] = [];
  do {
    asked = [];
    await stablecoin.followDeposits();
    looks.push(asked.length);
    expect(Math.max(...asked)).toBeLessThanOrEqual(250);
    latest += 1n;
  } while ((await events()).length < 2 && looks.length < 10);
  expect(await events()).toHaveLength(2);
  // One more where the round was under way: the newest blocks of the accounts that come first.
  expect(looks).toEqual([8, 9, 5]);
});

test("a round through many accounts that breaks off at a failure or a restart loses no transfer", async () => {
  const ours = await followMany(5_000);
  const readUntil = async (stablecoin: ReturnType<typeof open>, count: number) => {
    for (let look = 0; look < 10 && (await rows()).length < count; look += 1) {
      await stablecoin.followDeposits().catch(() => null);
      latest += 1n;
    }
  };
  latest = 101n;
  transfers = [0, 2_499, 4_999].map((at) => {
    return { to: ours[at] as string, value: 5n, block: 101n, tx: `0x${at}` };
  });
  await open().followDeposits();
  // Blocks pass until the other accounts are read: more than are read again for a reorganization.
  latest = 900n;
  lacking = 102n;
  const restarted = open();
  await restarted.followDeposits().catch(() => null);
  lacking = 10n ** 9n;
  await readUntil(restarted, 3);
  expect(await events()).toHaveLength(3);
  // A transfer that arrives while the round is under way, to an account that was read in it.
  transfers.push({ to: ours[0] as string, value: 7n, block: latest, tx: "0xlate" });
  transfers.push({ to: ours[2_499] as string, value: 7n, block: latest, tx: "0xlater" });
  latest += 500n;
  await readUntil(restarted, 5);
  expect(await events()).toHaveLength(5);
});

test("while a round is under way, the accounts with a webhook are read in every look", async () => {
  const ours = await followMany(5_000);
  const builder = ours.at(-1) as string;
  await addWebhook(builder);
  latest = 101n;
  const stablecoin = open();
  await stablecoin.followDeposits();
  latest = 102n;
  transfers = [{ to: builder, value: 5n, block: 102n, tx: "0xa" }];
  await stablecoin.followDeposits();
  expect(await events()).toMatchObject([{ accounts: [builder] }]);
});

test("a round goes on while one of the nodes behind the address is behind", async () => {
  const ours = await followMany(5_000);
  const stablecoin = open();
  transfers = [ours[10], ours[2_700], ours.at(-1)].map((to, at) => {
    return { to: to as string, value: 5n, block: 960n, tx: `0x${at}` };
  });
  // Every second look is answered by a node that stopped.
  for (let look = 0n; look < 6n; look += 1n) {
    latest = look % 2n === 0n ? 1_000n + look : 950n;
    lacking = latest + 1n;
    await stablecoin.followDeposits();
  }
  expect(await rows()).toHaveLength(3);
});

test("a transfer that moved while no look succeeded for minutes is told of once", async () => {
  const ours = await followMany(5_000);
  const builder = ours.at(-1) as string;
  await addWebhook(builder);
  const stablecoin = open();
  latest = 200n;
  await stablecoin.followDeposits();
  latest = 260n;
  transfers = [{ to: builder, value: 5n, block: 258n, tx: "0xa", log: 3 }];
  await stablecoin.followDeposits();
  latest = 335n;
  transfers = [{ to: builder, value: 5n, block: 275n, tx: "0xa", log: 9 }];
  await stablecoin.followDeposits();
  expect(await rows()).toEqual([{ tx: "0xa", block: 275 }]);
  expect(await events()).toHaveLength(1);
});

test("a round whose blocks the chain has not had for minutes is begun anew", async () => {
  const ours = await followMany(5_000);
  latest = 500n;
  const stablecoin = open();
  await stablecoin.followDeposits();
  latest = 400n;
  lacking = 401n;
  transfers = [{ to: ours.at(-1) as string, value: 5n, block: 400n, tx: "0xa" }];
  for (let look = 0; look < 63; look += 1) await stablecoin.followDeposits();
  expect(await rows()).toEqual([{ tx: "0xa", block: 400 }]);
});

/** So many transfers in each of two blocks, as anyone can send for a few dollars, and one to another account. */
async function flooded(each: number) {
  const stablecoin = open();
  for (const account of [FOLLOWED, OTHER]) await stablecoin.readDeposits(account);
  transfers = Array.from({ length: 2 * each }, (_, at) => {
    return { to: FOLLOWED, value: 1n, block: 101n + BigInt(at % 2), tx: `0x${at}` };
  });
  transfers.push({ to: OTHER, value: 5n, block: 102n, tx: "0xb" });
  latest = 1_000n;
  return stablecoin;
}
const received = () => database.query("select amount from deposits where account = $1", [OTHER]);

test("thousands of transfers to one account keep no other account's from being found", async () => {
  const stablecoin = await flooded(4_500);
  await stablecoin.followDeposits();
  expect(await received()).toEqual([{ amount: 5n }]);
});

test("a range of which the node lists no events, because they are too many, is read in parts", async () => {
  const stablecoin = await flooded(90);
  mostLogs = 100;
  await stablecoin.followDeposits();
  expect(await received()).toEqual([{ amount: 5n }]);
  expect(await rows()).toHaveLength(181);
});
