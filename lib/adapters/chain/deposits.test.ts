import { getAddress } from "viem";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Database } from "../db/client.ts";
import { createDeposits } from "../db/money/money-book.ts";
import { openTestPglite } from "../db/testing/stores.ts";
import type { ChainClient } from "./chain-client.ts";
import { openStablecoin } from "./deposits.ts";

const TOKEN = "0x00000000000000000000000000000000000000A1";
const FOLLOWED = getAddress("0x00000000000000000000000000000000000000b1");
const OTHER = getAddress("0x00000000000000000000000000000000000000b2");
const PAYER = "0x00000000000000000000000000000000000000c3";

type Transfer = { to: string; value: bigint; block: bigint; tx: string };
let database: Database;
let transfers: Transfer[] = [];
let latest = 0n;

/** A node that answers what the token's events are now. */
const client = {
  getBlockNumber: async () => latest,
  getBlock: async () => ({ timestamp: BigInt(Math.floor(Date.now() / 1000)) }),
  getLogs: async ({ args, fromBlock, toBlock }: LogQuery) =>
    transfers
      .filter(({ to, block }) => args.to.includes(to) && block >= fromBlock && block <= toBlock)
      .map(({ to, value, block, tx }) => ({
        args: { from: PAYER, to, value },
        transactionHash: tx,
        logIndex: 0,
        blockNumber: block,
      })),
} as unknown as ChainClient;
type LogQuery = { args: { to: string[] }; fromBlock: bigint; toBlock: bigint };

beforeAll(async () => {
  database = await openTestPglite();
  await database.query(
    "insert into accounts (address, owner, created_at) select a, a, now() from unnest($1::text[]) a",
    [[FOLLOWED, OTHER]],
  );
});
afterAll(() => database.close());
beforeEach(async () => {
  transfers = [];
  latest = 100n;
  for (const table of ["deposits", "event_queue", "chain_cursors"]) {
    await database.query(`delete from ${table}`, []);
  }
});

const open = () => {
  const stablecoin = openStablecoin({
    client,
    deployment: { usdc: TOKEN, block: 1 } as unknown as Parameters<
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
  await stablecoin.readDeposits(null);
  await Promise.all([stablecoin.readDeposits(null), stablecoin.readDeposits(FOLLOWED)]);
  latest = 102n;
  await Promise.all([stablecoin.readDeposits(null), stablecoin.readDeposits(null)]);
  expect(await events()).toEqual([{ type: "deposit.received", accounts: [FOLLOWED], amount: "5" }]);
});

test("a block that the chain replaced takes its transfer along, and moves one that was included again", async () => {
  const stablecoin = open();
  await stablecoin.readDeposits(FOLLOWED);
  transfers = [
    { to: FOLLOWED, value: 5n, block: 101n, tx: "0xa" },
    { to: FOLLOWED, value: 6n, block: 101n, tx: "0xb" },
  ];
  latest = 101n;
  await stablecoin.readDeposits(null);
  transfers = [{ to: FOLLOWED, value: 5n, block: 102n, tx: "0xa" }];
  latest = 102n;
  await stablecoin.readDeposits(null);
  expect(await rows()).toEqual([{ tx: "0xa", block: 102 }]);
  expect(await events()).toHaveLength(2);
});

test("an account is followed once its transfers were read or it has a webhook", async () => {
  const { listFollowed } = createDeposits(database);
  expect(await listFollowed(TOKEN)).toEqual([]);
  await open().readDeposits(OTHER);
  expect(await listFollowed(TOKEN)).toEqual([OTHER]);
  await database.query(
    `insert into webhook_endpoints (endpoint_id, account, url, events, state, secret, secret_hint, secret_at, created_at)
     values ('e', $1, 'https://builder.example', '{*}', 'active', '', '', now(), now())`,
    [FOLLOWED],
  );
  expect(await listFollowed(TOKEN)).toEqual([FOLLOWED, OTHER].sort());
});
