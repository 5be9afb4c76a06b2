import type { Context } from "../context.ts";

/** What a stock x402 server asks a facilitator at its start. */
export async function supported({ ports }: Context) {
  const kinds = ports.rails.all.map(({ scheme, network }) => ({
    x402Version: 2 as const,
    scheme,
    network,
  }));
  const signers = ports.rails.all
    .map((rail) => rail.signers())
    .filter(({ addresses }) => addresses.length > 0);
  return {
    kinds,
    extensions: [],
    signers: Object.fromEntries(signers.map(({ pattern, addresses }) => [pattern, addresses])),
  };
}
