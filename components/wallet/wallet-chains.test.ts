import { createPublicClient } from "viem";
import { mainnet } from "viem/chains";
import { expect, test, vi } from "vitest";
import { USDC } from "@/lib/sdk/protocol/exact/usdc.ts";
import { chainName } from "./chain-name.ts";
import { WALLET_CHAINS, WALLET_TRANSPORTS } from "./wallet-chains.ts";

test("a wallet can be switched to every network whose USDC is known, and the page names it", () => {
  const known: readonly string[] = WALLET_CHAINS.map(({ id }) => `eip155:${id}`);
  expect(Object.keys(USDC).filter((network) => !known.includes(network))).toEqual([]);
  for (const { id } of WALLET_CHAINS) expect(chainName(id)).not.toBe(`chain ${id}`);
});

test("no chain is read from the browser", async () => {
  const fetched = vi.fn();
  vi.stubGlobal("fetch", fetched);
  const client = createPublicClient({ chain: mainnet, transport: WALLET_TRANSPORTS[mainnet.id] });
  await expect(client.getBlockNumber()).rejects.toThrow("not read from the browser");
  expect(fetched).not.toHaveBeenCalled();
});
