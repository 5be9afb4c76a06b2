import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { createPublicClient, getAddress, type Hex, http } from "viem";
import { bootSandbox } from "../../e2e/support/boot-sandbox.ts";
import { creditsAbi } from "../../lib/adapters/chain/abis.ts";
import { readSandboxFile } from "../../lib/sandbox/sandbox-file.ts";

type DemoResult = { ok: boolean; planId: string; transaction: Hex; remainingBalance: string };

// Plays the story on the crypto plan, then reads the result from the chain directly.
const sandbox = await bootSandbox();
try {
  const path = join(sandbox.dataDir, "sandbox.json");
  const node = ["--import", "./scripts/typescript.mjs", "scripts/demo.ts"];
  const output = execFileSync(
    process.execPath,
    [...node, "--json", "--plan", "crypto", "--sandbox", path],
    { encoding: "utf8" },
  );
  const { ok, planId, transaction, remainingBalance }: DemoResult = JSON.parse(output);
  if (!ok) throw new Error("A step of the story failed.");
  const { chain, subscriber } = await readSandboxFile(path);
  const client = createPublicClient({ transport: http(chain?.rpcUrl) });
  // The story's last burns may not be included yet.
  const receipt = await client.waitForTransactionReceipt({ hash: transaction, timeout: 10_000 });
  const credits = () =>
    client.readContract({
      address: getAddress(chain?.contracts.credits ?? ""),
      abi: creditsAbi,
      functionName: "balanceOf",
      args: [getAddress(subscriber.address), BigInt(planId)],
    });
  console.log(
    `demo on chain: transaction ${transaction} status ${receipt.status === "success" ? 1 : 0}, Credits ${await credits()}, remainingBalance ${remainingBalance}`,
  );
} finally {
  await sandbox.stop();
}
