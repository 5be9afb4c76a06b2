import { EXACT } from "@turnpike/payments/protocol";
import type { Context } from "../context.ts";

/** What a stock x402 server asks a facilitator at its start. */
export async function supported({ ports }: Context) {
  const offered = ports.rails.all.filter(
    ({ scheme, isLeftOut }) => !isLeftOut && (scheme !== EXACT || ports.exact?.takesPayments),
  );
  const kinds = offered.map(({ scheme, network }) => ({
    x402Version: 2 as const,
    scheme,
    network,
  }));
  const signers = offered
    .map((rail) => rail.signers())
    .filter(({ addresses }) => addresses.length > 0);
  return {
    kinds,
    extensions: [],
    signers: Object.fromEntries(signers.map(({ pattern, addresses }) => [pattern, addresses])),
  };
}
