import type { ForeignOffer } from "../../protocol/exact/foreign-offer.ts";
import type { Connection } from "../connection.ts";
import { createTtlCache, type TtlCache } from "../ttl-cache.ts";
import type { Authorized, ExactSigner } from "./exact-types.ts";

const MOST_KEPT = 1_000;

const signed = new WeakMap<Connection, TtlCache<Authorized>>();

/**
 * What an instance has signed, by the call that it pays for. Such a call may be made again, and pays with what it has signed: that
 * is counted once, and fits limits that a second payment would exceed.
 */
export function signedCalls(connection: Connection): TtlCache<Authorized> {
  const known = signed.get(connection) ?? createTtlCache<Authorized>(0, MOST_KEPT);
  signed.set(connection, known);
  return known;
}

/** A call that may be made again, as its `Idempotency-Key` names it. */
export const nameOfCall = (
  { headers, method, url }: Request,
  { network, asset, payTo, amount }: ForeignOffer,
  signer: ExactSigner | undefined,
): string =>
  JSON.stringify([
    ...[headers.get("idempotency-key"), method, url, signer?.address],
    ...[network, asset, payTo, amount],
  ]);
