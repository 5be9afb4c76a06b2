import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Address } from "viem";
import { type Journal, openJournal } from "@/lib/adapters/chain/bundler/journal.ts";
import { createAnvilRunner, EMBEDDED_CHAIN_ID } from "./anvil-process.ts";

export type EmbeddedChain = Awaited<ReturnType<typeof startEmbeddedChain>>;

type Options = {
  dataDir: string;
  restart?: boolean;
  /** Tests of live pass Base's. */
  chainId?: number;
};

/**
 * Starts the sandbox's chain: anvil on 127.0.0.1, one block per transaction, chain id 84532. The state is loaded from
 * `dataDir`, and transactions after the last save are replayed from the journal. The chain ends with this process.
 * A killed chain restarts at the same address unless `restart` is false. Two chains on one `dataDir` would corrupt it;
 * the caller must prevent that.
 *
 * @throws Error when the platform has no anvil or when anvil does not start.
 * @example const chain = await startEmbeddedChain({ dataDir: ".turnpike/chain" });
 */
export async function startEmbeddedChain(options: Options) {
  const { dataDir } = options;
  mkdirSync(dataDir, { recursive: true });
  const journal = openJournal(join(dataDir, "journal.jsonl"));
  const supervisor = await supervise(journal, options).catch((error) => {
    journal.close();
    throw error;
  });
  const { running } = supervisor;
  let stopping: Promise<void> | undefined;
  return {
    rpcUrl: running().rpcUrl,
    chainId: options.chainId ?? EMBEDDED_CHAIN_ID,
    /** The id of the running process, for tests that kill it. */
    pid: () => running().child.pid ?? 0,
    /** Pass this to everything that sends transactions; without it a crash loses them. */
    journal,
    /** How many transactions the latest start replayed from the journal. */
    replayed: () => running().replayed,
    /** Settles when the running process has ended, for any reason. */
    exited: () => running().exited,
    /** Sets an address's test money, in wei, so that it survives restarts. */
    fund: async (address: Address, wei: bigint) => {
      journal.fund(address, wei);
      await running().rpc("anvil_setBalance", [address, `0x${wei.toString(16)}`]);
    },
    checkpoint: supervisor.checkpoint,
    stop: () => {
      stopping ??= supervisor.stop().then(() => journal.close());
      return stopping;
    },
  };
}

/** Runs anvil, and restarts it on its port when it ends unasked. */
async function supervise(journal: Journal, { dataDir, restart = true, chainId }: Options) {
  const anvil = createAnvilRunner(dataDir, journal, chainId);
  let isStopping = false;
  let running = await anvil.boot(0);
  let restarting: Promise<void> = Promise.resolve();
  const watch = (watched: typeof running) => {
    if (!restart) return;
    restarting = watched.exited.then(async () => {
      if (isStopping) return;
      running = await anvil.boot(Number(new URL(watched.rpcUrl).port));
      watch(running);
    });
    // A chain that does not come back shows as unreachable to its callers.
    restarting.catch(() => {});
  };
  watch(running);

  return {
    running: () => running,
    checkpoint: () => anvil.save(running.rpc),
    async stop(): Promise<void> {
      isStopping = true;
      const { child, exited, rpc } = running;
      if (child.exitCode === null && child.signalCode === null) {
        // If saving fails, the journal still holds every transaction.
        await anvil.save(rpc).then(
          () => journal.rewrite([]),
          () => {},
        );
        child.kill("SIGTERM");
      }
      await exited;
      await restarting.catch(() => {});
    },
  };
}
