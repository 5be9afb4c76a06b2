import type { ForeignOffer } from "../../protocol/exact/foreign-offer.ts";
import type { Connection } from "../connection.ts";
import type { GiveBack } from "../spending/spending.ts";
import type { Authorized } from "./exact-types.ts";

/** What was signed for a call, and counted against its limits. */
export type Signed = { authorized: Authorized; giveBack: GiveBack };

const lost = new WeakMap<Connection, Map<string, Signed>>();

/**
 * The payments of an instance whose answer was lost, by the call that made them. Such a call may be made again, and pays with
 * what it has signed: that is counted once, and fits limits that a second payment would exceed.
 */
export function lostAnswers(connection: Connection): Map<string, Signed> {
  const known = lost.get(connection) ?? new Map<string, Signed>();
  lost.set(connection, known);
  for (const [name, { authorized }] of known) {
    if (Date.parse(authorized.sent.expiresAt) < Date.now()) known.delete(name);
  }
  return known;
}

/** A call that may be made again; null without an `Idempotency-Key`. */
export function nameOfCall(
  { headers, url }: Request,
  { network, asset, payTo, amount }: ForeignOffer,
): string | null {
  const key = headers.get("idempotency-key");
  return key && JSON.stringify([key, url, network, asset, payTo, amount]);
}
