import type { Connection } from "../connection.ts";
import type { FetchToken } from "../fetch-tokens.ts";
import type { PaidResponse } from "../paid-response.ts";
import { loadRare } from "../rare-group.ts";
import { isPassing } from "../waiting/is-passing.ts";
import type { CountedToken } from "./crowd.ts";

type TokenCache = {
  isKept(token: Promise<FetchToken>, held: FetchToken): boolean;
  forget(token: Promise<FetchToken>, held: FetchToken): void;
};
export type Ordered = Pick<PaidResponse, "order">;

/** Ends the tokens of one instance, each when nothing may be charged by it any more. */
export function createTokenEnds(connection: Connection, { isKept, forget }: TokenCache) {
  const counted = new WeakMap<FetchToken, CountedToken>();
  /** Those with open calls. */
  const open = new Map<Promise<FetchToken>, FetchToken>();

  async function end(token: FetchToken): Promise<Ordered> {
    const { giveBackUnspent } = await loadRare();
    const given = await giveBackUnspent(connection, token);
    if (!given.order) counted.get(token)?.endUnused();
    return given;
  }

  /** Ends a token once, and answers what it ordered. What is unknown may be asked again, and is at a later mint where the service could not answer. */
  const endOnce = (token: Promise<FetchToken>, held: FetchToken): Promise<Ordered> => {
    forget(token, held);
    held.ended ??= end(held)
      .finally(() => open.delete(token))
      .catch((error): Ordered => {
        if (isPassing(error)) open.set(token, held);
        return { order: "unknown" };
      })
      .then((given) => {
        if (given.order === "unknown") delete held.ended;
        return given;
      });
    return held.ended;
  };

  return {
    endOnce,
    count: (token: FetchToken, order: CountedToken) => void counted.set(token, order),

    /** Notes that a call with a token may still order or be charged. */
    leaveOpen(token: Promise<FetchToken>, held: FetchToken, how: "lost" | "owed") {
      if (!held.purchase) return;
      if (held.open !== "owed") held.open = how;
      open.set(token, held);
    },

    /** Ends the open tokens that no later call will use, so that what they did not order may be spent again; null for none. */
    closeOpen(): Promise<unknown> | null {
      const left = [...open].filter(([token, held]) => !isKept(token, held) && held.users === 0);
      return left.length > 0 ? Promise.all(left.map((each) => endOnce(...each))) : null;
    },
  };
}
