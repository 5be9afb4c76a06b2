import type { Connection } from "../connection.ts";
import { createFetchTokens, type FetchToken, type Need } from "../fetch-tokens.ts";
import type { PayableOffer } from "../offers.ts";
import {
  isOfProxy,
  isPending,
  type PaidResponse,
  paidResponse,
  readBody,
} from "../paid-response.ts";
import { loadRare } from "../rare-group.ts";
import { APPROVAL_CACHE_MS, isOfApproval, TOKEN_CACHE_MS } from "../token-cache.ts";
import { createTtlCache } from "../ttl-cache.ts";
import { type CountedToken, createCrowds } from "./crowd.ts";

export type Send = (token: FetchToken) => Promise<Response>;

/** The tokens of one instance, by what they are for, and the requests that pay with them. */
export function createPayer(connection: Connection) {
  const cache = createTtlCache<Promise<FetchToken>>(TOKEN_CACHE_MS, 100);
  const tokens = createFetchTokens(connection);

  function forget(key: string, token: Promise<FetchToken>) {
    if (cache.get(key) === token) cache.delete(key);
  }

  const keep = (key: string, token: Promise<FetchToken>, { hasApproval }: FetchToken) =>
    cache.set(key, token, hasApproval ? APPROVAL_CACHE_MS : undefined);

  const crowds = createCrowds();
  const counted = new WeakMap<FetchToken, CountedToken>();

  /** Revokes a token and answers what it ordered. */
  async function end(token: FetchToken): Promise<Pick<PaidResponse, "order">> {
    const { giveBackUnspent } = await loadRare();
    const given = await giveBackUnspent(connection, token);
    if (!given.order) counted.get(token)?.endUnused();
    return given;
  }

  return {
    crowds,
    known: (key: string) => cache.get(key),
    forget,

    mint(key: string, offers: PayableOffer[], need: Need, mustOrder: boolean): Promise<FetchToken> {
      const order = crowds.get(key)?.count();
      const minting = tokens.mint(offers, need, mustOrder).then((token) => {
        if (token.mayOrder && order) counted.set(token, order);
        else order?.takeOff();
        return token;
      });
      cache.set(key, minting);
      minting.catch(() => {
        order?.takeOff();
        forget(key, minting);
      });
      return minting;
    },

    /**
     * Sends the request with a token, and takes back the price of an order that was not made. A token whose call waits
     * for a person or was declined is kept, and its price stays counted: it may still order.
     */
    async pay(key: string, token: Promise<FetchToken>, send: Send): Promise<PaidResponse> {
      const held = await token;
      held.users += 1;
      const response = await send(held)
        .catch((error) => {
          // A repeat of a lost call is known by its token.
          keep(key, token, held);
          throw error;
        })
        .finally(() => {
          held.users -= 1;
        });
      const holder = held.signer ? "signed" : "bearer";
      const paid: PaidResponse = { ...paidResponse(response), holder };
      const { receipt } = paid;
      if (receipt?.success && receipt.orderTx) held.purchase = null;
      // A delivered answer is owed until its settlement is final; a stream is settled at its end.
      const isLost = isOfProxy(response);
      const isOver = !isLost && (!response.ok || (receipt && !isPending(receipt)));
      if (response.status === 402) held.hasApproval = hasApproval(await readBody(response));
      else if (receipt?.success) held.hasApproval = false;
      if (held.hasApproval || isLost) keep(key, token, held);
      else if ((held.purchase && isOver && held.users === 0) || held.ended) {
        forget(key, token);
        held.ended ??= end(held).catch(() => ({ order: "unknown" }));
        Object.assign(paid, await held.ended);
      }
      // Its own work may still be paid for, or another call may make its order.
      const mayOrder = held.purchase && !held.ended && !held.hasApproval;
      if (mayOrder && (receipt || isOver || isLost)) paid.order = "unknown";
      return paid;
    },
  };
}

type Paying = {
  key: string;
  /** Mints another token; with `mustOrder` one that may order although there are credits left. */
  mint: (mustOrder: boolean) => Promise<FetchToken>;
  send: Send;
  signal: AbortSignal;
};

/** Pays with the token for such calls, and with other ones as long as they can help. */
export async function payWith(
  payer: ReturnType<typeof createPayer>,
  { key, mint, send, signal }: Paying,
): Promise<PaidResponse> {
  const crowd = payer.crowds.enter(key);
  const isKnown = () => payer.known(key) !== undefined;
  let isServed = false;
  // A token that relies on the last credits came too late for them, and another one might again.
  let mustOrder = false;
  try {
    for (;;) {
      const known = payer.known(key);
      const token: Promise<FetchToken> = known ?? mint(mustOrder);
      const paid = await payer.pay(key, token, send);
      isServed = paid.response.status !== 402;
      if (isServed) return paid;
      const body = await readBody(paid.response);
      if (hasApproval(body)) return asDeclined(paid, body);
      payer.forget(key, token);
      const { mayOrder } = await token;
      const isShort = body?.code === "insufficient_balance";
      // A remembered token may have ended; a new one would not be refused for that.
      const mayHelp = isShort ? known || mayOrder || !mustOrder : known && body?.retryable === true;
      mustOrder ||= isShort && !known && !mayOrder;
      if (!mayHelp || !(await crowd.hasRoom(isKnown, signal))) return asDeclined(paid, body);
    }
  } finally {
    payer.crowds.leave(key, isServed);
  }
}

type Body = Record<string, unknown> | null;

/** Whether the request waits for a person or was declined. */
export const hasApproval = (body: Body): boolean =>
  body?.approval !== undefined || isOfApproval(body?.cause);

function asDeclined(paid: PaidResponse, body: Body): PaidResponse {
  const code = body?.code;
  const reason = typeof code === "string" ? `: ${code}` : "";
  return { ...paid, declined: `The agent refused the token${reason}.` };
}
