import type { Settlement } from "../../protocol/permission.ts";
import type { Connection } from "../connection.ts";
import { createFetchTokens, type FetchToken, type Need } from "../fetch-tokens.ts";
import type { PayableOffer } from "../offers.ts";
import { type PaidResponse, paidResponse, readBody } from "../paid-response.ts";
import { loadRare } from "../rare-group.ts";
import { APPROVAL_CACHE_MS, isOfApproval, TOKEN_CACHE_MS } from "../token-cache.ts";
import { createTtlCache } from "../ttl-cache.ts";

export type Send = (token: FetchToken) => Promise<Response>;

/** Calls of one kind that are under way, and the tokens minted for them of which none has answered a call yet. */
type Crowd = { active: number; unserved: Set<Promise<FetchToken>> };

/** The tokens of one instance, by what they are for, and the requests that pay with them. */
export function createPayer(connection: Connection) {
  const cache = createTtlCache<Promise<FetchToken>>(TOKEN_CACHE_MS, 100);
  const tokens = createFetchTokens(connection);

  function forget(key: string, token: Promise<FetchToken>) {
    if (cache.get(key) === token) cache.delete(key);
  }

  const keep = (key: string, token: Promise<FetchToken>, { hasApproval }: FetchToken) =>
    cache.set(key, token, hasApproval ? APPROVAL_CACHE_MS : undefined);

  const crowds = new Map<string, Crowd>();

  return {
    known: (key: string) => cache.get(key),
    forget,

    /** A call of a kind begins, beside others of it. */
    enter(key: string): Crowd {
      const crowd = crowds.get(key) ?? { active: 0, unserved: new Set() };
      crowds.set(key, crowd);
      crowd.active += 1;
      return crowd;
    },

    leave(key: string): void {
      const crowd = crowds.get(key);
      if (crowd && --crowd.active === 0) crowds.delete(key);
    },

    mint(key: string, offers: PayableOffer[], need: Need): Promise<FetchToken> {
      const minting = tokens.mint(offers, need);
      cache.set(key, minting);
      minting.catch(() => forget(key, minting));
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
      const isOver = !response.ok || (receipt && !isPending(receipt));
      if (response.status === 402) held.hasApproval = hasApproval(await readBody(response));
      else if (receipt?.success) held.hasApproval = false;
      if (held.hasApproval) keep(key, token, held);
      else if ((held.purchase && isOver && held.users === 0) || held.ended) {
        forget(key, token);
        held.ended ??= loadRare().then(
          (rare) => rare.giveBackUnspent(connection, held),
          () => ({ order: "unknown" }),
        );
        Object.assign(paid, await held.ended);
      } else if (held.purchase && (receipt || isOver)) {
        // Another call may make its order, or has made it.
        paid.order = "unknown";
      }
      return paid;
    },
  };
}

/** Pays with the token for such calls, and with other ones as long as they can help. */
export async function payWith(
  payer: ReturnType<typeof createPayer>,
  key: string,
  mint: () => Promise<FetchToken>,
  send: Send,
): Promise<PaidResponse> {
  const crowd = payer.enter(key);
  try {
    for (;;) {
      const known = payer.known(key);
      const token = known ?? mint();
      if (!known) crowd.unserved.add(token);
      const paid = await payer.pay(key, token, send);
      if (paid.response.status !== 402) {
        crowd.unserved.delete(token);
        return paid;
      }
      const body = await readBody(paid.response);
      if (hasApproval(body)) return asDeclined(paid, body);
      payer.forget(key, token);
      if (!canReplace(body, await token, crowd)) return asDeclined(paid, body);
    }
  } finally {
    payer.leave(key);
  }
}

const isPending = (receipt: Settlement): boolean =>
  !receipt.success && receipt.errorReason === "settlement_pending";

type Body = Record<string, unknown> | null;

/** Whether the request waits for a person or was declined. */
export const hasApproval = (body: Body): boolean =>
  body?.approval !== undefined || isOfApproval(body?.cause);

/**
 * Whether another token can help: a remembered one may have ended, a shared one was used up by other calls, and one that
 * may not order came too late for the last credits. A lying seller takes each order and refuses the call, so no more tokens
 * that answered nothing may order than calls are under way.
 */
function canReplace(body: Body, { mayOrder }: FetchToken, crowd: Crowd): boolean {
  const left = crowd.active - crowd.unserved.size;
  if (body?.code === "insufficient_balance") return left + (mayOrder ? 0 : 1) > 0;
  return left > 0 && body?.retryable === true;
}

function asDeclined(paid: PaidResponse, body: Body): PaidResponse {
  const code = body?.code;
  const reason = typeof code === "string" ? `: ${code}` : "";
  return { ...paid, declined: `The agent refused the token${reason}.` };
}
