import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import lockfile from "proper-lockfile";
import { type Address, hexToBytes } from "viem";
import { anvilBinary } from "./anvil-binary.ts";
import { type AnvilRpc, createAnvilRpc } from "./anvil-rpc.ts";
import { type Journal, openJournal } from "./journal.ts";
import { guardAgainstOutliving } from "./outlive-guard.ts";
import { replayJournal } from "./replay-journal.ts";

/** The chain id of the embedded chain, that of Base Sepolia, as the specification's network says (§1). */
export const EMBEDDED_CHAIN_ID = 84532;

const START_TIMEOUT_MS = 15_000;

export type EmbeddedChain = {
  rpcUrl: string;
  chainId: number;
  /** The process number, for tests that end it the hard way. */
  pid: number;
  /** Give this to everything that sends transactions; without it a crash loses them. */
  journal: Journal;
  /** Transactions the journal gave back at this start. */
  replayed: number;
  /** Gives an address test money, in wei, that survives restarts. */
  fund: (address: Address, wei: bigint) => Promise<void>;
  /** Writes the chain's state to disk now. */
  checkpoint: () => Promise<void>;
  /** Settles when the process has ended, however it ended. */
  exited: Promise<void>;
  stop: () => Promise<void>;
};

/**
 * Starts the sandbox's chain: anvil on 127.0.0.1, one block per transaction, chain id 84532. Its state is kept in
 * `dataDir` and loaded at the next start; what happened after the last save comes back from the journal. The process
 * ends with this one.
 *
 * @throws Error when the platform has no anvil, when `dataDir` is in use, or when anvil does not start.
 * @example const chain = await startEmbeddedChain({ dataDir: ".turnpike/chain" });
 */
export async function startEmbeddedChain(options: {
  dataDir: string;
  port?: number;
  onProgress?: (message: string) => void;
}): Promise<EmbeddedChain> {
  const { dataDir, onProgress = () => {} } = options;
  const binary = anvilBinary();
  mkdirSync(dataDir, { recursive: true });
  const release = await lockFolder(dataDir);
  const statePath = join(dataDir, "state.json");
  const journal = openJournal(join(dataDir, "journal.jsonl"));
  let child: ChildProcess | undefined;
  try {
    onProgress("Starting the embedded chain");
    const started = await spawnAnvil(
      binary,
      options.port ?? 0,
      existsSync(statePath) ? statePath : undefined,
    );
    child = started.child;
    const { rpcUrl, exited } = started;
    const rpc = createAnvilRpc(rpcUrl);
    const replayed = await replayJournal({ rpc, journal });
    if (replayed > 0) onProgress(`Replayed ${replayed} transactions from the journal`);

    const running = started.child;
    const stop = async () => {
      if (running.exitCode === null && running.signalCode === null) {
        await saveState(rpc, statePath).catch(() => {}); // the journal still has what was not saved
        running.kill("SIGTERM");
      }
      await exited;
      journal.close();
      await release();
    };
    let stopping: Promise<void> | undefined;
    return {
      rpcUrl,
      chainId: EMBEDDED_CHAIN_ID,
      pid: running.pid ?? 0,
      journal,
      replayed,
      exited,
      fund: async (address, wei) => {
        journal.fund(address, wei);
        await rpc("anvil_setBalance", [address, `0x${wei.toString(16)}`]);
      },
      checkpoint: () => saveState(rpc, statePath),
      stop: () => {
        stopping ??= stop();
        return stopping;
      },
    };
  } catch (error) {
    child?.kill("SIGKILL");
    journal.close();
    await release();
    throw error;
  }
}

async function lockFolder(dataDir: string): Promise<() => Promise<void>> {
  try {
    const release = await lockfile.lock(dataDir, {
      stale: 10_000,
      update: 2_000,
      onCompromised: () => {},
    });
    return async () => release().catch(() => {});
  } catch (cause) {
    throw new Error(`The chain's data folder "${dataDir}" is in use by another process.`, {
      cause,
    });
  }
}

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
