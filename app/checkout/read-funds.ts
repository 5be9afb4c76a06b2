import "server-only";
import { ZERO_ADDRESS } from "@turnpike/payments/protocol";
import { getRunning } from "@/lib/server/running.ts";

const BALANCE_OF = "0x70a08231";
const TIMEOUT_MS = 4_000;

/** What an account holds of a price's token, in its smallest unit; null while the chain does not answer. */
export async function readFunds(account: string, tokenAddress: string): Promise<bigint | null> {
  const { chain } = await getRunning();
  if (!chain.rpcUrl) return null;
  const isNative = tokenAddress === ZERO_ADDRESS;
  const holder = account.slice(2).toLowerCase().padStart(64, "0");
  const call = isNative
    ? { method: "eth_getBalance", params: [account, "latest"] }
    : {
        method: "eth_call",
        params: [{ to: tokenAddress, data: `${BALANCE_OF}${holder}` }, "latest"],
      };
  try {
    const response = await fetch(chain.rpcUrl, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...call }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
      cache: "no-store",
    });
    const { result } = (await response.json()) as { result?: unknown };
    if (typeof result !== "string" || !/^0x[0-9a-f]+$/i.test(result)) return null;
    return BigInt(result);
  } catch {
    return null;
  }
}
