import type { Connection } from "../connection.ts";
import type { FetchToken } from "../fetch-tokens.ts";
import type { PaidResponse } from "../paid-response.ts";
import { loadRare } from "../rare-group.ts";
import { APPROVAL_CACHE_MS, TOKEN_CACHE_MS } from "../token-cache.ts";
import { createTtlCache } from "../ttl-cache.ts";
import { isPassing } from "../waiting/is-passing.ts";
import type { CountedToken } from "./crowd.ts";

type TokenCache = {
  isKept(key: string, token: Promise<FetchToken>): boolean;
  keep(key: string, token: Promise<FetchToken>, isLong: boolean): void;
};
/** A call, also when it is made again, and the kind of its calls. */
type Named = { key: string; call: string };
type Ordered = Pick<PaidResponse, "order">;

/** Ends the tokens of one instance, each when nothing may be charged by it any more. */
export function createTokenEnds(connection: Connection, { isKept, keep }: TokenCache) {
  const counted = new WeakMap<FetchToken, CountedToken>();
  /** By open calls: with another token, a repeat would be charged again. One that may order does so within its kind's limits alone. */
  const calls = createTtlCache<Promise<FetchToken>>(TOKEN_CACHE_MS, 1000);
  /** Those with open calls, by the key of their kind. */
  const open = new Map<Promise<FetchToken>, string>();

  async function end(token: FetchToken): Promise<Ordered> {
    const { giveBackUnspent } = await loadRare();
    const given = await giveBackUnspent(connection, token);
    if (!given.order) counted.get(token)?.endUnused();
    return given;
  }

  /** Ends a token once, and answers what it ordered. A later mint asks again where the service could not answer. */
  const endOnce = (key: string, token: Promise<FetchToken>, held: FetchToken): Promise<Ordered> => {
    held.ended ??= end(held)
      .finally(() => open.delete(token))
      .catch((error) => {
        if (isPassing(error)) {
          delete held.ended;
          open.set(token, key);
        }
        return { order: "unknown" };
      });
    return held.ended;
  };

  return {
    endOnce,
    count: (token: FetchToken, order: CountedToken) => void counted.set(token, order),

    /** Notes that a call with a token may still order or be charged. */
    leaveOpen(
      { key, call }: Named,
      token: Promise<FetchToken>,
      held: FetchToken,
      how: "lost" | "owed" | "asking",
    ) {
      keep(key, token, held.hasApproval);
      const isLong = held.hasApproval || how === "asking";
      calls.set(held.purchase ? call + key : call, token, isLong ? APPROVAL_CACHE_MS : undefined);
      if (!held.purchase) return;
      if (held.open !== "owed") held.open = how === "lost" ? how : "owed";
      open.set(token, key);
    },

    ofCall: ({ key, call }: Named) => calls.get(call + key) ?? calls.get(call),

    /** Forgets the token of a call that a gate refused: it let through no more of it. */
    closeCall({ key, call }: Named) {
      for (const name of [call + key, call]) calls.delete(name);
    },

    /** Ends the open tokens that no later call will use, so that what they did not order may be spent again; null for none. */
    closeOpen(): Promise<unknown> | null {
      const left = [...open].filter(([token, key]) => !isKept(key, token));
      const close = async ([token, key]: (typeof left)[number]) => {
        const held = await token;
        if (held.users === 0) await endOnce(key, token, held);
      };
      return left.length > 0 ? Promise.all(left.map(close)) : null;
    },
  };
}
