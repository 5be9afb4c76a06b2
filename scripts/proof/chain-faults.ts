import { setTimeout as sleep } from "node:timers/promises";
import { openDatabase } from "@/lib/adapters/db/client.ts";
import { type PostgresCluster, startPostgres } from "@/lib/adapters/db/testing/postgres-cluster.ts";
import { createAnvilRpc } from "@/lib/sandbox/chain/anvil-rpc.ts";
import {
  type ChainTestService,
  startChainTestService,
} from "@/lib/server/testing/chain-service.ts";
import { loadSettles, type SettleLoad } from "@/lib/server/testing/settle-load.ts";
import { settleAccounts } from "./chain-account.ts";
import { killService } from "./chain-killed-service.ts";
import { createCryptoMarket, settleIn } from "./chain-load.ts";

const SILENT_MS = 60_000;
const DEPTHS = [1, 2, 3];
const REORG_ATTEMPTS = 5;

type Fault = (service: ChainTestService) => Promise<string>;

/** Kills the chain during a burst; settles continue. */
const killChain: Fault = (service) =>
  underLoad(service, "killed", async (load) => {
    const killed = service.chain.pid();
    await load.more(150);
    process.kill(killed, "SIGKILL");
    await load.more(150);
    return `process ${service.chain.pid() === killed ? "not yet back" : "back"} after 150 more`;
  });

/** The chain is silent for a minute while calls continue. */
const silenceChain: Fault = (service) =>
  underLoad(service, "silent", async (load, answered) => {
    await load.more(50);
    const before = answered();
    process.kill(service.chain.pid(), "SIGSTOP");
    try {
      await sleep(SILENT_MS);
      const isSilent = await rpcIsSilent(service.chain.rpcUrl);
      if (!isSilent) throw new Error("The chain still responded.");
      const [row] = await service.database.query<{ n: number }>(
        "select count(*) as n from settlements where chain_status in ('pending', 'submitted')",
        [],
      );
      return `${answered() - before} settles answered in the ${SILENT_MS / 1_000} s, ${row?.n} waiting at its end`;
    } finally {
      process.kill(service.chain.pid(), "SIGCONT");
    }
  });

const rpcIsSilent = (rpcUrl: string) =>
  fetch(rpcUrl, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_blockNumber", params: [] }),
    signal: AbortSignal.timeout(1_000),
  }).then(
    () => false,
    () => true,
  );

/** Reverts the last blocks, each with a transaction, while calls continue. */
const reorg =
  (depth: number): Fault =>
  (service) =>
    underLoad(service, `reorg-${depth}`, async (load) => {
      const { client } = service.onChain.operator;
      const rpc = createAnvilRpc(service.chain.rpcUrl);
      const from = await client.getBlockNumber();
      while ((await client.getBlockNumber()) < from + BigInt(depth)) await load.more(10);
      let reverted = 0;
      // A new block may take the place of one to revert, so try again.
      for (let attempt = 0; reverted === 0 && attempt < REORG_ATTEMPTS; attempt++) {
        const tip = await client.getBlockNumber();
        const numbers = Array.from({ length: depth }, (_, index) => tip - BigInt(index));
        const blocks = await Promise.all(
          numbers.map((blockNumber) => client.getBlock({ blockNumber })),
        );
        await rpc("anvil_reorg", [depth, []]);
        const hashes = blocks.flatMap(({ transactions }) => transactions);
        const receipts = hashes.map((hash) => rpc("eth_getTransactionReceipt", [hash]));
        reverted = (await Promise.all(receipts)).filter((receipt) => !receipt).length;
      }
      if (reverted === 0) throw new Error("No transaction was reverted.");
      await load.more(50);
      return `${reverted} transactions reverted`;
    });

/** Settles on a separate market during the fault, then compares ledger and chain. */
async function underLoad(
  service: ChainTestService,
  name: string,
  happens: (load: SettleLoad, answered: () => number) => Promise<string>,
): Promise<string> {
  const market = await createCryptoMarket(service);
  let count = 0;
  const settle = settleIn(market);
  const counted = async (id: string) => {
    const answer = await settle(id);
    count += 1;
    return answer;
  };
  const load = loadSettles(counted, name, { callers: 4, pauseMs: 20 });
  const result = await happens(load, () => count).catch(async (cause: unknown) => {
    await load.end();
    throw cause;
  });
  const { answered, p50Ms, slowestMs } = await load.end();
  const asked = load.asked().length;
  if (answered.size < asked) {
    throw new Error(`${asked - answered.size} of ${asked} settles got no response.`);
  }
  const { planId, subscriber } = market;
  const { landed, landedSecs } = await settleAccounts(service, {
    planId,
    account: subscriber.address,
    answered: [...answered.keys()],
  });
  return `${result}; ${answered.size} of ${asked} settles answered, p50 ${p50Ms} ms, slowest ${slowestMs} ms, ${landed} landed, the last ${landedSecs} s after`;
}

async function inProcess(fault: Fault, databaseUrl?: string): Promise<string> {
  const database = await openDatabase(databaseUrl ? { url: databaseUrl } : {});
  const service = await startChainTestService(database);
  try {
    return await fault(service);
  } finally {
    await service.stop();
    await database.close();
  }
}

type Named = [name: string, happens: () => Promise<string>];

/** Every fault on the embedded store, and those that depend on the store's memory on Postgres too. */
function listFaults(cluster: PostgresCluster | null): Named[] {
  const reorgs = (where: string, open?: (name: string) => Promise<string>) =>
    DEPTHS.map(
      (depth): Named => [
        `reorg of depth ${depth} on ${where}`,
        async () => inProcess(reorg(depth), await open?.(`reorg${depth}`)),
      ],
    );
  return [
    ["kill -9 of the service on PGlite", killService],
    ["kill -9 of anvil on PGlite", () => inProcess(killChain)],
    ["chain silent for a minute on PGlite", () => inProcess(silenceChain)],
    ...reorgs("PGlite"),
    ...(cluster ? reorgs(`Postgres ${cluster.version}`, cluster.createDatabase) : []),
  ];
}

const only = process.argv[2] ?? "";
const cluster = await startPostgres();
try {
  const chosen = listFaults(cluster).filter(([name]) => name.includes(only));
  let held = 0;
  for (const [name, happens] of chosen) {
    try {
      console.log(`fault: ${name}: ${await happens()}; difference 0`);
      held += 1;
    } catch (cause) {
      console.log(`fault: ${name}: NOT HELD: ${(cause as Error).message}`);
    }
  }
  console.log(`faults: ${held} of ${chosen.length} held`);
  process.exitCode = held === chosen.length ? 0 : 1;
} finally {
  await cluster?.stop();
}
