import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { Hex } from "viem";
import { type BootedSandbox, bootSandbox } from "../../e2e/support/boot-sandbox.ts";

type DemoResult = {
  ok: boolean;
  plan: string;
  planId: string;
  transaction: Hex;
  steps: { ok: boolean }[];
  remainingBalance: string;
};

/** Plays the demo against a separate sandbox, then reads its effects while the sandbox still runs. */
export async function playDemo<Result>(
  { plan, databaseUrl = "" }: { plan?: string; databaseUrl?: string },
  read: (result: DemoResult, sandbox: BootedSandbox & { file: string }) => Result | Promise<Result>,
): Promise<Result> {
  const sandbox = await bootSandbox({ databaseUrl });
  try {
    const file = join(sandbox.dataDir, "sandbox.json");
    const node = ["--import", "./scripts/typescript.mjs", "scripts/demo.ts"];
    const args = [...node, "--json", "--sandbox", file, ...(plan ? ["--plan", plan] : [])];
    const output = execFileSync(process.execPath, args, { encoding: "utf8" });
    const result: DemoResult = JSON.parse(output);
    if (!result.ok) throw new Error("A step of the demo failed.");
    return await read(result, { ...sandbox, file });
  } finally {
    await sandbox.stop();
  }
}
