import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { x402Client, x402HTTPClient } from "@x402/fetch";
import { createPublicClient, type Hex, http } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { tokenAbi } from "@/lib/adapters/chain/abis.ts";
import { pollUntil } from "@/lib/adapters/chain/poll.ts";
import { readSandboxFile, type SandboxFile } from "@/lib/sandbox/sandbox-file.ts";
import { freePort } from "@/lib/testing/free-port.ts";
import { type SpawnedService, spawnService } from "./spawn-service.ts";

/** What can be killed: the gate with its agent, the service, and the service's chain. */
export type Part = "gate" | "service" | "chain";

/** `isOpen`: the same request has to be sent again, since another one or none has decided. */
type Answer = { status: number; isReplay: boolean; isOpen: boolean };

const DECIDED_WITHIN_MS = 90_000;
const ask = { method: "POST", body: JSON.stringify({ question: "one two three" }) };

/** The sandbox in real processes, and a stock wallet that pays its priced route. */
export type ExactWorld = Awaited<ReturnType<typeof openExactWorld>>;

export async function openExactWorld() {
  const folder = await mkdtemp(join(tmpdir(), "turnpike-exact-"));
  const [port, agentPort] = [await freePort(), await freePort()];
  const settings = {
    TURNPIKE_DATA_DIR: folder,
    TURNPIKE_ORIGIN: `http://localhost:${port}`,
    PORT: String(port),
    AGENT_PORT: String(agentPort),
  };
  /** Starts a process and waits until it answers. */
  async function start(entry: string, path: string): Promise<SpawnedService> {
    const spawned = await spawnService({ settings, entry: `lib/sandbox/testing/${entry}` });
    const ask = () => fetch(`http://127.0.0.1:${path}`).then(({ ok }) => ok || undefined);
    const isUp = await pollUntil(() => ask().catch(() => undefined), { timeoutMs: 90_000 });
    if (!isUp) throw new Error(`${entry} did not start: ${spawned.stderr()}`);
    return spawned;
  }
  const startAgent = () => start("serve-agent.ts", `${agentPort}/`);
  const startSandbox = () => start("serve-sandbox.ts", `${port}/api/v1/health`);
  const running: Record<"gate" | "service", SpawnedService> = {
    service: await startSandbox(),
    gate: await startAgent(),
  };
  const sandbox = (await readSandboxFile(join(folder, "sandbox.json"))) as Required<SandboxFile>;
  const url = sandbox.agent.exactUrl ?? "";
  const account = privateKeyToAccount(sandbox.wallet.privateKey as Hex);
  const wallet = new x402Client().register("eip155:84532", new ExactEvmScheme(account));
  /** A restarted service has its chain on another port. */
  async function money(): Promise<bigint> {
    const { chain } = await readSandboxFile(join(folder, "sandbox.json"));
    return createPublicClient({ transport: http(chain?.rpcUrl, { retryCount: 0 }) }).readContract({
      address: chain?.contracts.usdc as Hex,
      abi: tokenAbi,
      functionName: "balanceOf",
      args: [sandbox.builder.address as Hex],
    });
  }
  let answered = 0;

  async function send(headers: Record<string, string>): Promise<Answer> {
    try {
      const response = await fetch(url, { ...ask, headers });
      await response.arrayBuffer();
      answered += 1;
      const isFinal = [200, 402, 409].includes(response.status);
      return {
        status: response.status,
        isReplay: response.headers.has("idempotency-replayed"),
        isOpen: !isFinal || response.headers.has("retry-after"),
      };
    } catch {
      return { status: 0, isReplay: false, isOpen: true };
    }
  }

  return {
    /** What the builder has: a start tops up the wallet. A chain that restarts is waited for. */
    async money(): Promise<bigint> {
      const read = () => money().catch(() => undefined);
      const has = await pollUntil(read, { timeoutMs: 60_000 });
      if (has === undefined) throw new Error("The chain does not answer.");
      return has;
    },
    /** A function that sends one new authorization, however often it is called. */
    async sign(): Promise<() => Promise<Answer>> {
      const refused = await fetch(url, ask);
      const stock = new x402HTTPClient(wallet);
      const required = stock.getPaymentRequiredResponse((name) => refused.headers.get(name));
      const payment = await wallet.createPaymentPayload(required);
      answered = 0;
      const headers = stock.encodePaymentSignatureHeader(payment);
      return () => send(headers);
    },
    /** Waits for a part of what a paid call takes, or for its first answer. */
    async untilBusy(share: number): Promise<void> {
      const end = performance.now() + 20 + share * 600;
      await pollUntil(async () => (answered > 0 || performance.now() > end ? true : undefined), {
        timeoutMs: 5_000,
      });
    },
    async kill(part: Part): Promise<void> {
      if (part !== "chain") return void (await running[part].end("SIGKILL"));
      const children = execFileSync("ps", [
        "-o",
        "pid=,comm=",
        "--ppid",
        String(running.service.child.pid),
      ]);
      const pid = /(\d+) anvil/.exec(children.toString())?.[1];
      if (pid) process.kill(Number(pid), "SIGKILL");
    },
    /** Starts a part again; the service starts its chain again on its own. */
    async restart(part: Part): Promise<void> {
      if (part === "gate") running.gate = await startAgent();
      if (part === "service") running.service = await startSandbox();
    },
    /** Sends until no answer says that it is not decided yet. */
    async untilDecided(sendAll: () => Promise<Answer[]>): Promise<Answer[]> {
      const all: Answer[] = [];
      await pollUntil(
        async () => {
          const answers = await sendAll();
          all.push(...answers);
          return answers.every(({ isOpen }) => !isOpen) || undefined;
        },
        { timeoutMs: DECIDED_WITHIN_MS },
      );
      return all;
    },
    async close(): Promise<void> {
      await running.gate.end("SIGTERM");
      await running.service.end("SIGTERM");
      await rm(folder, { recursive: true, force: true });
    },
  };
}
