import type { Connection } from "../connection.ts";
import { createFetchTokens, type FetchToken, type Need } from "../fetch-tokens.ts";
import type { PayableOffer } from "../offers.ts";
import { isLost, isPending, type PaidResponse, paidResponse, readBody } from "../paid-response.ts";
import { APPROVAL_CACHE_MS, isOfApproval, TOKEN_CACHE_MS } from "../token-cache.ts";
import { createTtlCache } from "../ttl-cache.ts";
import { createCallTokens, type NamedCall } from "./call-tokens.ts";
import { createCrowds } from "./crowd.ts";
import { createTokenEnds } from "./token-ends.ts";

export type Send = (token: FetchToken) => Promise<Response>;

/** The tokens of one instance, by what they are for, and the requests that pay with them. */
export function createPayer(connection: Connection) {
  /** By the kind of their calls. */
  const cache = createTtlCache<Promise<FetchToken>>(TOKEN_CACHE_MS, 100);
  const tokens = createFetchTokens(connection);

  const isKept = (token: Promise<FetchToken>, { key }: FetchToken) => cache.get(key) === token;

  function forget(token: Promise<FetchToken>, held: FetchToken) {
    if (isKept(token, held)) cache.delete(held.key);
  }

  /** Keeps a token for its kind of calls, unless they have a later one. */
  function keep(token: Promise<FetchToken>, { key, hasApproval, ended }: FetchToken) {
    if (hasApproval) cache.set(key, token, APPROVAL_CACHE_MS);
    else if (!ended && (cache.get(key) ?? token) === token) cache.set(key, token);
  }

  const crowds = createCrowds();
  const ends = createTokenEnds(connection, { isKept, forget });
  const calls = createCallTokens(ends.endOnce);

  return {
    crowds,
    admit: calls.admit,
    known: (call: NamedCall) => calls.find(call) ?? cache.get(call.key),
    forget,

    mint(offers: PayableOffer[], need: Need, mustOrder: boolean): Promise<FetchToken> {
      const { key } = need;
      const order = crowds.get(key)?.count();
      const own = { ...need, closing: ends.closeOpen() };
      const minting = tokens.mint(offers, own, mustOrder).then((token) => {
        if (token.mayOrder && order) ends.count(token, order);
        else order?.takeOff();
        return token;
      });
      cache.set(key, minting);
      minting.catch(() => {
        order?.takeOff();
        if (cache.get(key) === minting) cache.delete(key);
      });
      return minting;
    },

    /**
     * Sends the request with a token, and takes back the price of an order that was not made. A token whose call waits
     * for a person or was declined is kept, and its price stays counted: it may still order.
     */
    async pay(call: Paying, token: Promise<FetchToken>): Promise<PaidResponse> {
      const held = await token;
      held.users += 1;
      calls.note(call, token, held, "open");
      const leaveOpen = (how: "lost" | "owed", isLong = held.hasApproval) => {
        keep(token, held);
        calls.note(call, token, held, "open", isLong ? APPROVAL_CACHE_MS : undefined);
        ends.leaveOpen(token, held, how);
      };
      const response = await call
        .send(held)
        .catch((error) => {
          leaveOpen("lost");
          throw error;
        })
        .finally(() => {
          held.users -= 1;
        });
      const { receipt, ...rest } = paidResponse(response);
      const paid: PaidResponse = { ...rest, receipt, holder: held.signer ? "signed" : "bearer" };
      if (receipt?.success && receipt.orderTx) held.purchase = null;
      // A delivered answer is owed until its settlement is final; a stream is settled at its end.
      const isOwed = receipt !== null && isPending(receipt);
      const isOver = !isOwed && (!response.ok || receipt !== null);
      if (response.status === 402) held.hasApproval = hasApproval(await readBody(response));
      else if (receipt?.success) held.hasApproval = false;
      calls.note(call, token, held, isUncharged(paid) ? undefined : "answered");
      if (isLost(response)) leaveOpen("lost");
      else if (response.status === 202 && !receipt) leaveOpen("owed", true);
      else if (isOwed) leaveOpen("owed");
      else if (held.hasApproval) keep(token, held);
      else if ((held.purchase && isOver && held.users === 0 && !held.open) || held.ended)
        Object.assign(paid, await ends.endOnce(token, held));
      // Its own work may still be paid for, or another call may make its order.
      if (held.purchase && !held.ended && !held.hasApproval) paid.order = "unknown";
      return paid;
    },
  };
}

/** Whether nothing is charged for a call: a gate refused its token and let through no more of it, or its work failed. */
const isUncharged = ({ response: { status }, receipt, agentRequestId }: PaidResponse): boolean =>
  status === 402 || (status === 500 && agentRequestId !== null && receipt === null);

/** How many tokens one call tries. Behind an honest gate a busy crowd has taken what one ordered some thirty times. */
const MOST_TRIES = 100;

type Paying = NamedCall & {
  /** Mints another token; with `mustOrder` one that may order although there are credits left. */
  mint: (mustOrder: boolean) => Promise<FetchToken>;
  send: Send;
  signal: AbortSignal;
};

/** Pays with the token for such calls, and with other ones as long as they can help. */
export async function payWith(
  payer: ReturnType<typeof createPayer>,
  paying: Paying,
): Promise<PaidResponse> {
  const { key, mint, signal } = paying;
  const crowd = payer.crowds.enter(key);
  const isKnown = () => payer.known(paying) !== undefined;
  let isServed = false;
  // A token that relies on the last credits came too late for them, and another one might again.
  let mustOrder = false;
  try {
    // Others are served meanwhile, so that a refused call would find room without end.
    for (let tries = 1; ; tries++) {
      await payer.admit(paying);
      const known = payer.known(paying);
      const token: Promise<FetchToken> = known ?? mint(mustOrder);
      const held = await token;
      const wasEnded = held.ended !== undefined;
      const paid = await payer.pay(paying, token);
      isServed = paid.response.status !== 402;
      if (isServed) return paid;
      const body = await readBody(paid.response);
      if (hasApproval(body)) return asDeclined(paid, body);
      payer.forget(token, held);
      const isShort = body?.code === "insufficient_balance";
      // A remembered token may have ended; a new one would not be refused for that.
      const isStale = known && (wasEnded || body?.retryable === true);
      const mayHelp = isShort ? known || held.mayOrder || !mustOrder : isStale;
      mustOrder ||= isShort && !known && !held.mayOrder;
      if (!mayHelp || tries === MOST_TRIES || !(await crowd.hasRoom(isKnown, signal)))
        return asDeclined(paid, body);
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
