import "server-only";
import { checksumAddress } from "@turnpike/payments/protocol";
import { readSession } from "@/app/_session/session.ts";
import type { Market } from "@/components/plans/market.ts";
import { MONEY_DECIMALS, NATIVE } from "@/lib/console/currency-decimals.ts";
import { getRunning } from "@/lib/server/running.ts";

const CHAIN_NAMES: Record<string, string> = {
  "eip155:84532": "Base Sepolia",
  "eip155:8453": "Base",
};
/** The stablecoin of a currency. */
const STABLECOINS: Record<string, string> = { USD: "USDC", EUR: "EURC" };

/** The network and tokens for prices, and the signed-in account. */
export async function readMarket(): Promise<Market> {
  const [{ env, ports }, session] = await Promise.all([getRunning(), readSession()]);
  const { network } = ports.rails.get("svc:erc4337");
  return {
    environment: env.environment,
    origin: env.origin,
    network,
    chainName: CHAIN_NAMES[network] ?? `chain ${network.split(":")[1]}`,
    nativeSymbol: NATIVE.code,
    tokens: [...ports.stableTokens].map(([address, currency]) => ({
      address: checksumAddress(address),
      symbol: STABLECOINS[currency] ?? currency,
      decimals: MONEY_DECIMALS,
      isStable: true,
    })),
    ...(!env.rails.crypto && { withoutRails: ["stablecoin", "token", "native"] as const }),
    ...(!env.rails.cards && { withoutRails: ["card"] as const }),
    ...(ports.platformFee.defaultBps > 0 && { cardFeeBps: ports.platformFee.defaultBps }),
    ...(session && { ownAddress: session.account.address }),
  };
}
