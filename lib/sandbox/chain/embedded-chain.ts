import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { type Address, hexToBytes } from "viem";
import { type Journal, openJournal } from "@/lib/adapters/chain/bundler/journal.ts";
import { anvilBinary } from "./anvil-binary.ts";
import { type AnvilRpc, createAnvilRpc } from "./anvil-rpc.ts";
import { guardAgainstOutliving } from "./outlive-guard.ts";
import { replayJournal } from "./replay-journal.ts";

/** The chain id of the embedded chain, that of Base Sepolia, as the specification's network says (§1). */
const EMBEDDED_CHAIN_ID = 84532;

const START_TIMEOUT_MS = 15_000;

export type EmbeddedChain = {
  rpcUrl: string;
  chainId: number;
  /** The number of the process that runs now, for tests that end it the hard way. */
  pid: () => number;
  /** Give this to everything that sends transactions; without it a crash loses them. */
  journal: Journal;
  /** Transactions the journal gave back at the latest start. */
  replayed: () => number;
  /** Gives an address test money, in wei, that survives restarts. */
  fund: (address: Address, wei: bigint) => Promise<void>;
  /** Writes the chain's state to disk now. */
  checkpoint: () => Promise<void>;
  /** Settles when the process that runs now has ended, however it ended. */
  exited: () => Promise<void>;
  stop: () => Promise<void>;
};

/**
 * Starts the sandbox's chain: anvil on 127.0.0.1, one block per transaction, chain id 84532. Its state is kept in
 * `dataDir` and loaded at the next start; what happened after the last save comes back from the journal. The process
 * ends with this one. When it is killed it comes back at the same address, unless `restart` is false. Two chains on one
 * `dataDir` would ruin it: the caller sees to it that there is one.
 *
 * @throws Error when the platform has no anvil or when anvil does not start.
 * @example const chain = await startEmbeddedChain({ dataDir: ".turnpike/chain" });
 */
export async function startEmbeddedChain(options: {
  dataDir: string;
  port?: number;
  restart?: boolean;
  onProgress?: (message: string) => void;
}): Promise<EmbeddedChain> {
  const { dataDir, restart = true, onProgress = () => {} } = options;
  const binary = anvilBinary();
  mkdirSync(dataDir, { recursive: true });
  const statePath = join(dataDir, "state.json");
  const journal = openJournal(join(dataDir, "journal.jsonl"));
  let isStopping = false;

  async function run<Answer>(
    port: number,
    use: (chain: Omit<RunningChain, "replayed">) => Promise<Answer>,
  ): Promise<Answer> {
    const state = existsSync(statePath) ? statePath : undefined;
    const { child, rpcUrl, exited } = await spawnAnvil(binary, port, state);
    try {
      return await use({ child, rpcUrl, exited, rpc: createAnvilRpc(rpcUrl) });
    } catch (error) {
      child.kill("SIGKILL");
      await exited;
      throw error;
    }
  }

  /** Behind closed doors: who saw a chain that is half there would take it for one without contracts, or take a nonce the journal needs. */
  async function recover(): Promise<number> {
    if (journal.entries().length === 0) return 0;
    return run(0, async ({ child, exited, rpc }) => {
      const replayed = await replayJournal({ rpc, journal });
      await saveState(rpc, statePath);
      child.kill("SIGKILL");
      await exited;
      if (replayed > 0) onProgress(`Replayed ${replayed} transactions from the journal`);
      return replayed;
    });
  }

  async function boot(port: number): Promise<RunningChain> {
    const replayed = await recover();
    return run(port, async (chain) => ({ ...chain, replayed }));
  }

  onProgress("Starting the embedded chain");
  let running = await boot(options.port ?? 0).catch((error) => {
    journal.close();
    throw error;
  });
  let restarting: Promise<void> = Promise.resolve();
  const watch = (watched: RunningChain) => {
    if (!restart) return;
    restarting = watched.exited.then(async () => {
      if (isStopping) return;
      onProgress("The embedded chain ended; starting it again");
      try {
        running = await boot(Number(new URL(watched.rpcUrl).port));
        watch(running);
      } catch (error) {
        onProgress(`The embedded chain could not be started again: ${String(error)}`);
      }
    });
  };
  watch(running);

  async function stop(): Promise<void> {
    isStopping = true;
    const { child, exited, rpc } = running;
    if (child.exitCode === null && child.signalCode === null) {
      // Where saving fails, the journal still has it all.
      await saveState(rpc, statePath).then(
        () => journal.rewrite([]),
        () => {},
      );
      child.kill("SIGTERM");
    }
    await exited;
    await restarting;
    journal.close();
  }
  let stopping: Promise<void> | undefined;
  return {
    rpcUrl: running.rpcUrl,
    chainId: EMBEDDED_CHAIN_ID,
    pid: () => running.child.pid ?? 0,
    journal,
    replayed: () => running.replayed,
    exited: () => running.exited,
    fund: async (address, wei) => {
      journal.fund(address, wei);
      await running.rpc("anvil_setBalance", [address, `0x${wei.toString(16)}`]);
    },
    checkpoint: () => saveState(running.rpc, statePath),
    stop: () => {
      stopping ??= stop();
      return stopping;
    },
  };
}

type RunningChain = {
  child: ChildProcess;
  rpcUrl: string;
  exited: Promise<void>;
  rpc: AnvilRpc;
  replayed: number;
};

async function spawnAnvil(binary: string, port: number, statePath: string | undefined) {
  const args = [
    "--host",
    "127.0.0.1",
    "--port",
    String(port),
    "--chain-id",
    String(EMBEDDED_CHAIN_ID),
  ];
  args.push(
    "--accounts",
    "1",
    "--hardfork",
    "prague",
    "--no-request-size-limit",
    "--gas-limit",
    "60000000",
  );
  if (statePath) args.push("--load-state", statePath);
  // A group of its own: Ctrl-C in the terminal must reach us alone, so that we can save before it ends.
  const child = spawn(binary, args, { stdio: ["ignore", "pipe", "pipe"], detached: true });
  guardAgainstOutliving(child);
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const rpcUrl = await new Promise<string>((resolve, reject) => {
    let output = "";
    const fail = (why: string) => {
      child.kill("SIGKILL");
      reject(new Error(`The embedded chain did not start: ${why}\n${output.slice(-2_000)}`));
    };
    const timer = setTimeout(
      () => fail(`no answer within ${START_TIMEOUT_MS} ms.`),
      START_TIMEOUT_MS,
    );
    const read = (chunk: Buffer) => {
      output += chunk;
      const address = /Listening on (127\.0\.0\.1:\d+)/.exec(output)?.[1];
      if (!address) return;
      clearTimeout(timer);
      child.stdout?.off("data", read);
      child.stderr?.off("data", read);
      // Nobody reads the log any more, but a full pipe would stop the chain.
      child.stdout?.resume();
      child.stderr?.resume();
      resolve(`http://${address}`);
    };
    child.stdout?.on("data", read);
    child.stderr?.on("data", read);
    child.once("error", (error) => fail(error.message));
    child.once("exit", (code, signal) => {
      clearTimeout(timer);
      fail(`it ended with ${signal ?? `code ${code}`}.`);
    });
  });
  return { child, rpcUrl, exited };
}

/** Anvil's own dump at exit is not atomic; this one is whole or not there. */
async function saveState(rpc: AnvilRpc, statePath: string): Promise<void> {
  const dump = await rpc<`0x${string}`>("anvil_dumpState", []);
  writeFileSync(`${statePath}.new`, gunzipSync(hexToBytes(dump)));
  renameSync(`${statePath}.new`, statePath);
}
