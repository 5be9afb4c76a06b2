import { createPublicClient, getAddress, http } from "viem";
import { creditsAbi } from "../../lib/adapters/chain/abis.ts";
import { readSandboxFile } from "../../lib/sandbox/sandbox-file.ts";
import { playDemo } from "./play-demo.ts";

// Plays the demo on the crypto plan, then reads the result from the chain directly.
await playDemo({ plan: "crypto" }, async ({ planId, transaction, remainingBalance }, { file }) => {
  const { chain, visitor, subscriber } = await readSandboxFile(file);
  // The demo is paid by the builder's test customer.
  const payer = getAddress((visitor ?? subscriber).address);
  const client = createPublicClient({ transport: http(chain?.rpcUrl) });
  // The story's last burns may not be included yet.
  const receipt = await client.waitForTransactionReceipt({ hash: transaction, timeout: 10_000 });
  const credits = () =>
    client.readContract({
      address: getAddress(chain?.contracts.credits ?? ""),
      abi: creditsAbi,
      functionName: "balanceOf",
      args: [payer, BigInt(planId)],
    });
  console.log(
    `demo on chain: transaction ${transaction} status ${receipt.status === "success" ? 1 : 0}, Credits ${await credits()}, remainingBalance ${remainingBalance}`,
  );
});
