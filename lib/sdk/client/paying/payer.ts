import type { Connection } from "../connection.ts";
import { createFetchTokens, type FetchToken, type Need } from "../fetch-tokens.ts";
import type { PayableOffer } from "../offers.ts";
import { isPending, type PaidResponse, paidResponse } from "../paid-response.ts";
import { APPROVAL_CACHE_MS, isOfApproval, TOKEN_CACHE_MS } from "../token-cache.ts";
import { createTtlCache } from "../ttl-cache.ts";
import { createCrowds } from "./crowd.ts";
import { type NamedCalls, outcomeUnknown } from "./named-calls.ts";
import { isLost, readBody } from "./read-body.ts";
import { createTokenEnds } from "./token-ends.ts";

export type Send = (token: FetchToken) => Promise<Response>;

/** The tokens of one instance, by what they are for, and the requests that pay with them. */
export function createPayer(connection: Connection, calls: NamedCalls) {
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

  return {
    crowds,
    calls,
    kept: (key: string) => cache.get(key),
    forget,
    endOnce: ends.endOnce,

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
    async pay(call: Paying, token: Promise<FetchToken>, held: FetchToken): Promise<PaidResponse> {
      held.users += 1;
      calls.note(call.name, token, "open");
      const leaveOpen = (how: "lost" | "owed", isLong = held.hasApproval) => {
        keep(token, held);
        calls.note(call.name, token, "open", isLong ? APPROVAL_CACHE_MS : undefined);
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
      calls.note(call.name, token, isUncharged(paid) ? undefined : "answered");
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

type Paying = {
  /** Of its kind. */
  key: string;
  /** The call itself, also when it is made again. */
  name: string | null;
  /** The plans that its 402 and the caller's limits allow. */
  ways: readonly string[];
  /** Mints another token; with `mustOrder` one that may order although there are credits left. */
  mint: (mustOrder: boolean) => Promise<FetchToken>;
  send: Send;
  signal: AbortSignal;
};

type Payer = ReturnType<typeof createPayer>;

/**
 * The token that pays for a call, and whether it is `fresh`. That of a call which is made again may spend no more than its limits
 * now allow: one that may order within others is ended first, and if it ordered, it can't again. Ended or not, it finds what it paid
 * for. Throws `outcome_unknown` where the service can't tell.
 */
async function claimToken(payer: Payer, { key, name, ways, mint }: Paying, mustOrder: boolean) {
  let isFresh = false;
  const [token] = await payer.calls.claim(name, ways, () => {
    const kept = payer.kept(key);
    isFresh = !kept;
    return kept ?? mint(mustOrder);
  });
  const held = await token;
  if (held.key !== key && held.purchase) {
    held.open ??= "lost";
    if (held.users > 0 || (await payer.endOnce(token, held)).order === "unknown")
      throw outcomeUnknown(held);
  }
  return { token, held, isFresh };
}

/** Pays with the token for such calls, and with other ones as long as they can help. */
export async function payWith(payer: Payer, paying: Paying): Promise<PaidResponse> {
  const { key, name, signal } = paying;
  const crowd = payer.crowds.enter(key);
  const isKnown = () => (payer.calls.find(name) ?? payer.kept(key)) !== undefined;
  let isServed = false;
  // A token that relies on the last credits came too late for them, and another one might again.
  let mustOrder = false;
  try {
    // Others are served meanwhile, so that a refused call would find room without end.
    for (let tries = 1; ; tries++) {
      const { token, held, isFresh } = await claimToken(payer, paying, mustOrder);
      const wasEnded = held.ended !== undefined;
      const paid = await payer.pay(paying, token, held);
      isServed = paid.response.status !== 402;
      if (isServed) return paid;
      const body = await readBody(paid.response);
      if (hasApproval(body)) return asDeclined(paid, body);
      payer.forget(token, held);
      const isShort = body?.code === "insufficient_balance";
      // A remembered token may have ended; a new one would not be refused for that.
      const isStale = !isFresh && (wasEnded || body?.retryable === true);
      const mayHelp = isShort ? !isFresh || held.mayOrder || !mustOrder : isStale;
      mustOrder ||= isShort && isFresh && !held.mayOrder;
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

const MAX_MESSAGE = 300;

/** Says which code, and why where the agent names a cause, which concerns the payer. */
function asDeclined(paid: PaidResponse, body: Body): PaidResponse {
  const [code, cause, message] = [body?.code, body?.cause, body?.message].map((each) =>
    typeof each === "string" ? each.slice(0, MAX_MESSAGE) : "",
  );
  const reason = `${code && `: ${code}`}${cause && ` (${cause})`}.${cause && message && ` ${message}`}`;
  return { ...paid, declined: `The agent refused the token${reason}` };
}
