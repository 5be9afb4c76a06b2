import { PaymentsError } from "@turnpike/payments/protocol";
import type { Rail, RailPrice } from "./rail.ts";

/** The rails of this deployment, and those it leaves out. */
export type Rails = {
  all: readonly Rail[];
  /** The rail of this scheme, which may carry another brand's prefix. */
  find(scheme: string): Rail | undefined;
  /** The same, of paid plans where free ones have their own; throws `rail_unavailable` without one. */
  get(scheme: string): Rail;
  /** The rail that plans of this price are paid on; throws `rail_unavailable` without one. */
  getByPrice(price: RailPrice): Rail;
  findByProvider(delegationProvider: string): Rail | undefined;
};

/** Makes the registry; where two rails take a price, the first one has it. */
export function createRails(all: readonly Rail[], aliases: readonly string[]): Rails {
  const isNamed = (name: string) => {
    const { prefix, rest } = split(name);
    return ({ scheme }: Rail) =>
      scheme === name || (aliases.includes(prefix) && split(scheme).rest === rest);
  };
  return {
    all,
    find: (scheme) => all.find(isNamed(scheme)),
    get: (scheme) =>
      all.findLast(isNamed(scheme)) ??
      unavailable(`This deployment doesn't accept ${scheme} payments.`),
    getByPrice: (price) =>
      all.find((rail) => rail.takes(price)) ??
      unavailable("This deployment has no rail for the plan's price."),
    findByProvider: (provider) =>
      all.find(({ delegationProvider }) => delegationProvider === provider),
  };
}

function split(scheme: string): { prefix: string; rest: string } {
  const at = scheme.indexOf(":");
  return { prefix: scheme.slice(0, Math.max(at, 0)), rest: scheme.slice(at + 1) };
}

function unavailable(message: string): never {
  throw new PaymentsError("rail_unavailable", message);
}
