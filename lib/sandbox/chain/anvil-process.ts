import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { hexToBytes } from "viem";
import { bytecodes } from "@/lib/adapters/chain/artifacts.ts";
import type { Journal } from "@/lib/adapters/chain/bundler/journal.ts";
import { knownUsdc, TEST_DOLLAR } from "@/lib/adapters/chain/deployment-plan.ts";
import { anvilBinary } from "./anvil-binary.ts";
import { type AnvilRpc, createAnvilRpc } from "./anvil-rpc.ts";
import { replayJournal } from "./replay-journal.ts";

/** Base Sepolia's chain id, which the specification's sandbox network names (§1). */
export const EMBEDDED_CHAIN_ID = 84532;

const START_TIMEOUT_MS = 15_000;

type AnvilProcess = {
  child: ChildProcess;
  rpcUrl: string;
  exited: Promise<void>;
  rpc: AnvilRpc;
};

/** Starts and saves anvil over one data folder. */
export function createAnvilRunner(dataDir: string, journal: Journal, chainId = EMBEDDED_CHAIN_ID) {
  const dollar = knownUsdc(chainId) ?? TEST_DOLLAR;
  const binary = anvilBinary();
  mkdirSync(dataDir, { recursive: true });
  const statePath = join(dataDir, "state.json");
  const historyDir = join(dataDir, "history");

  async function run<Result>(
    port: number,
    use: (chain: AnvilProcess) => Promise<Result>,
  ): Promise<Result> {
    const state = existsSync(statePath) ? statePath : undefined;
    // What a killed anvil leaves: gigabytes, and of no use to the next one.
    rmSync(historyDir, { recursive: true, force: true });
    const chain = await spawnAnvil(binary, port, { chainId, state, historyDir });
    try {
      const rpc = createAnvilRpc(chain.rpcUrl);
      await placeTestDollar(rpc, dollar);
      return await use({ ...chain, rpc });
    } catch (error) {
      await kill(chain);
      throw error;
    }
  }

  /** Replays on a private port: on a half-restored chain a client would miss contracts or use a nonce the journal needs. */
  async function recover(): Promise<number> {
    if (journal.entries().length === 0) return 0;
    return run(0, async (chain) => {
      const replayed = await replayJournal({ rpc: chain.rpc, journal });
      await saveState(chain.rpc, statePath);
      await kill(chain);
      return replayed;
    });
  }

  return {
    /** Replays the journal, then starts anvil on the port; 0 picks a free one. */
    async boot(port: number) {
      const replayed = await recover();
      return run(port, async (chain) => ({ ...chain, replayed }));
    },
    save: (rpc: AnvilRpc) => saveState(rpc, statePath),
  };
}

/** Puts the test dollar at its address: run there, its creation code returns the code that a deployment would leave. */
async function placeTestDollar(rpc: AnvilRpc, dollar: string): Promise<void> {
  if ((await rpc("eth_getCode", [dollar, "latest"])) !== "0x") return;
  const creation = { [dollar]: { code: bytecodes.mockUsdc } };
  const code = await rpc("eth_call", [{ to: dollar }, "latest", creation]);
  await rpc("anvil_setCode", [dollar, code]);
}

async function kill({ child, exited }: Pick<AnvilProcess, "child" | "exited">): Promise<void> {
  child.kill("SIGKILL");
  await exited;
}

const ARGUMENTS = [
  ["--host", "127.0.0.1"],
  ["--accounts", "1"],
  ["--hardfork", "prague"],
  ["--no-request-size-limit"],
  ["--gas-limit", "60000000"],
].flat();

async function spawnAnvil(
  binary: string,
  port: number,
  {
    chainId,
    state,
    historyDir,
  }: { chainId: number; state: string | undefined; historyDir: string },
) {
  const folders = ["--cache-path", historyDir, ...(state ? ["--load-state", state] : [])];
  const args = [...ARGUMENTS, "--chain-id", String(chainId), "--port", String(port), ...folders];
  // In a separate process group: Ctrl-C must reach this process alone, so that it can save the state first.
  const child = spawn(binary, args, { stdio: ["ignore", "pipe", "pipe"], detached: true });
  guardAgainstOutliving(child);
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  return { child, rpcUrl: await readAddress(child), exited };
}

function readAddress(child: ChildProcess): Promise<string> {
  return new Promise<string>((resolve, reject) => {
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
      for (const stream of [child.stdout, child.stderr]) {
        stream?.off("data", read);
        // A full pipe would block the chain, so keep draining its log.
        stream?.resume();
      }
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
}

/** Writes the state whole or not at all, unlike anvil's own dump at exit. */
async function saveState(rpc: AnvilRpc, statePath: string): Promise<void> {
  const dump = await rpc<`0x${string}`>("anvil_dumpState", []);
  writeFileSync(`${statePath}.new`, gunzipSync(hexToBytes(dump)));
  renameSync(`${statePath}.new`, statePath);
}

/**
 * Ends `child` when this process ends for any reason: a helper waits until the pipe from this process closes. A signal
 * handler would not run after `kill -9`.
 */
function guardAgainstOutliving(child: ChildProcess): void {
  const pid = child.pid;
  if (pid === undefined) return;
  const [program, args]: [string, string[]] =
    process.platform === "win32"
      ? [process.execPath, ["-e", `process.stdin.resume().on("close",()=>process.kill(${pid}))`]]
      : ["/bin/sh", ["-c", 'cat >/dev/null; kill -KILL "$0" 2>/dev/null', String(pid)]];
  const guard = spawn(/* turbopackIgnore: true */ program, args, {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  guard.on("error", () => {});
  guard.stdin?.on("error", () => {});
  guard.unref();
  // The child's process id may be reused after it ends, so stop the guard first.
  child.once("exit", () => guard.kill("SIGKILL"));
}
