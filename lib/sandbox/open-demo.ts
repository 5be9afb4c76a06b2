import "server-only";
import type { Booted } from "@/lib/server/boot.ts";
import { ownUrl } from "@/lib/server/own-url.ts";
import type { Progress } from "@/lib/server/progress.ts";
import { startDemoAgent } from "./demo-agent.ts";
import { sandboxFilePath, seedSandbox, stockFacilitatorKey } from "./sandbox.ts";
import { writeSandboxFile } from "./sandbox-file.ts";

/** Seeds the demo accounts, serves the demo agent, and writes the sandbox file. Returns how to stop the agent. */
export async function openDemo(booted: Booted, progress: Progress): Promise<() => Promise<void>> {
  const { agentPort: port, host, dataDir } = booted.env;
  const sandbox = await seedSandbox(booted);
  const facilitatorKey = await stockFacilitatorKey(booted);
  const stopAgent = await progress.step("demo agent", sandbox.agent.url, () =>
    startDemoAgent(sandbox, {
      baseUrl: ownUrl(booted.env),
      port,
      host,
      dataDir,
      observe: booted.observeGate,
      facilitatorKey,
    }),
  );
  await writeSandboxFile(sandboxFilePath(dataDir), sandbox);
  return stopAgent;
}
