import { spawn } from "node:child_process";
import { appendFileSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { keccak256, parseEther } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openJournal } from "@/lib/adapters/chain/bundler/journal.ts";
import { createTransactionSender } from "@/lib/adapters/chain/bundler/transaction-sender.ts";
import { createChainClient } from "@/lib/adapters/chain/chain-client.ts";
import { pollUntil } from "@/lib/adapters/chain/poll.ts";
import { testKey } from "@/lib/adapters/chain/testing/chain-fixture.ts";
import { longTest } from "@/lib/testing/in-full.ts";
import { anvilBinary } from "./anvil-binary.ts";
import { type EmbeddedChain, startEmbeddedChain } from "./embedded-chain.ts";

const settler = privateKeyToAccount(testKey("settler"));
const friend = privateKeyToAccount(testKey("friend")).address;
let dataDir: string;
let chains: EmbeddedChain[];

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "turnpike-embedded-"));
  chains = [];
});
afterEach(async () => {
  for (const chain of chains) await chain.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

async function start(): Promise<EmbeddedChain> {
  const chain = await startEmbeddedChain({ dataDir, restart: false });
  chains.push(chain);
  return chain;
}
const clientOf = (chain: EmbeddedChain) =>
  createChainClient({ rpcUrl: chain.rpcUrl, chainId: chain.chainId });
const balance = (chain: EmbeddedChain) => clientOf(chain).getBalance({ address: friend });
async function pay(chain: EmbeddedChain, times: number): Promise<void> {
  const sender = createTransactionSender({
    client: clientOf(chain),
    settler,
    journal: chain.journal,
  });
  for (let i = 0; i < times; i += 1)
    await sender.send({ to: friend, data: "0x", gas: 21_000n, value: 1n });
}
const isState = (name: string) => name.endsWith(".json");
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test("the chain has id 84532 and mines a transaction at once", async () => {
  const chain = await start();
  await chain.fund(settler.address, parseEther("1"));
  await pay(chain, 1);
  expect(await clientOf(chain).getChainId()).toBe(84532);
  expect(await clientOf(chain).getBlockNumber()).toBe(1n);
});

test("the state survives a restart", async () => {
  const first = await start();
  await first.fund(settler.address, parseEther("1"));
  await pay(first, 3);
  await first.stop();
  expect(isAlive(first.pid())).toBe(false);
  const second = await start();
  expect(await balance(second)).toBe(3n);
  expect(second.replayed()).toBe(0);
  await pay(second, 1);
  expect(await balance(second)).toBe(4n);
});

test("what a killed chain kept of old blocks is gone after the next start", async () => {
  const history = join(dataDir, "history");
  // Anvil makes the folder with the first block that it moves to disk.
  const states = () =>
    existsSync(history)
      ? readdirSync(history, { recursive: true }).map(String).filter(isState)
      : [];
  const first = await start();
  await clientOf(first).request({ method: "anvil_mine", params: ["0x2bc"] } as never);
  await pollUntil(async () => (states().length > 0 ? true : undefined), { timeoutMs: 10_000 });
  process.kill(first.pid(), "SIGKILL");
  await first.exited();
  await start();
  expect(states()).toEqual([]);
});

test("after kill -9 the journal restores every transaction with its hash", async () => {
  const first = await start();
  await first.fund(settler.address, parseEther("1"));
  await pay(first, 2);
  await first.checkpoint();
  await pay(first, 5);
  const hashes = first.journal
    .entries()
    .flatMap((entry) => (entry.kind === "transaction" ? [keccak256(entry.raw)] : []));
  process.kill(first.pid(), "SIGKILL");
  await first.exited();
  await first.stop();
  const second = await start();
  expect(second.replayed()).toBe(5);
  expect(await balance(second)).toBe(7n);
  for (const hash of hashes) {
    expect((await clientOf(second).getTransactionReceipt({ hash })).status).toBe("success");
  }
});

test("a killed chain restarts automatically at the same address without losing anything", async () => {
  const chain = await startEmbeddedChain({ dataDir });
  chains.push(chain);
  await chain.fund(settler.address, parseEther("1"));
  await pay(chain, 3);
  const killed = chain.pid();
  process.kill(killed, "SIGKILL");
  const back = await pollUntil(
    async () => (chain.pid() !== killed && chain.replayed() === 3 ? true : undefined),
    { timeoutMs: 10_000 },
  );
  expect(back).toBe(true);
  expect(await balance(chain)).toBe(3n);
  await pay(chain, 1);
  expect(await balance(chain)).toBe(4n);
});

test("a journal line that a crash cut short is dropped, and the rest is kept", () => {
  const path = join(dataDir, "journal.jsonl");
  const journal = openJournal(path, () => 1_000);
  journal.transaction("0x01");
  journal.close();
  appendFileSync(path, '{"kind":"transa');
  const again = openJournal(path, () => 2_000);
  again.transaction("0x02");
  expect(again.entries()).toEqual([
    { kind: "transaction", at: 1, raw: "0x01" },
    { kind: "transaction", at: 2, raw: "0x02" },
  ]);
  again.close();
});

longTest("the chain ends when its parent is killed", async () => {
  const script = `
    import { startEmbeddedChain } from "./lib/sandbox/chain/embedded-chain.ts";
    const chain = await startEmbeddedChain({ dataDir: process.argv[1] });
    process.stdout.write(String(chain.pid()) + "\\n");
    setInterval(() => {}, 1000);
  `;
  const parent = spawn(
    process.execPath,
    ["--import", "./scripts/typescript.mjs", "--input-type=module", "-e", script, dataDir],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const pid = await new Promise<number>((resolve) =>
    parent.stdout.once("data", (line) => resolve(Number(line))),
  );
  expect(isAlive(pid)).toBe(true);
  parent.kill("SIGKILL");
  const gone = await pollUntil(async () => (isAlive(pid) ? undefined : true), { timeoutMs: 5_000 });
  if (!gone) process.kill(pid, "SIGKILL");
  expect(gone).toBe(true);
  // And the next one starts on the folder at once.
  await start();
});

test("a platform without the binary gets instructions", () => {
  expect(() => anvilBinary("sunos", "x64")).toThrow(/no program for sunos-x64.*CHAIN_RPC_URL/);
  const missing = process.platform === "darwin" ? "linux" : "darwin";
  expect(() => anvilBinary(missing, "arm64")).toThrow(
    /@foundry-rs\/anvil-\w+-arm64" is not installed/,
  );
});
