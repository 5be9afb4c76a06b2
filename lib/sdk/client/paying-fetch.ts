import { toJson } from "../protocol/json.ts";
import { pathOf } from "../protocol/match-route.ts";
import { decodePaymentRequired, X402PaymentRequired } from "../protocol/payment-required.ts";
import { SIGNATURE_EXTENSION } from "../protocol/request-signature.ts";
import { PAYMENT_IDENTIFIER, X402_HEADERS } from "../protocol/x402-headers.ts";
import type { Connection } from "./connection.ts";
import { exactTools } from "./exact/exact-tools.ts";
import type { createFetchTokens, FetchToken, Need } from "./fetch-tokens.ts";
import type { Challenge, PayableOffer } from "./offers.ts";
import {
  type PaidResponse,
  type PayingFetchOptions,
  paidResponse,
  readBody,
} from "./paid-response.ts";
import { randomId } from "./random-id.ts";
import { loadRare } from "./rare-group.ts";
import { APPROVAL_CACHE_MS, isOfApproval, TOKEN_CACHE_MS } from "./token-cache.ts";
import { createTtlCache } from "./ttl-cache.ts";

const IDEMPOTENCY_KEY = "idempotency-key";

/** Calls of one kind that are under way, and the tokens minted for them of which none has answered a call yet. */
type Crowd = { active: number; unserved: Set<Promise<FetchToken>> };

/** The tokens of one instance, by what they are for, and the requests that pay with them. */
function createPayer(connection: Connection) {
  const cache = createTtlCache<Promise<FetchToken>>(TOKEN_CACHE_MS, 100);
  let tokens: Promise<ReturnType<typeof createFetchTokens>> | undefined;
  const openTokens = () => {
    tokens ??= import("./fetch-tokens.ts").then((own) => own.createFetchTokens(connection));
    return tokens;
  };

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
      const minting = openTokens().then((own) => own.mint(offers, need));
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
      // Without a receipt, a successful answer may still order: a stream is settled at its end.
      const isOver = receipt || !response.ok;
      if (response.status === 402) held.hasApproval = hasApproval(await readBody(response));
      else if (receipt?.success) held.hasApproval = false;
      if (held.hasApproval) keep(key, token, held);
      else if (held.purchase && isOver && held.users === 0) {
        forget(key, token);
        const given = loadRare().then((rare) => rare.giveBackUnspent(connection, held));
        Object.assign(paid, await given.catch(() => {}));
      }
      return paid;
    },
  };
}

/** A `fetch` that meets a 402, pays within its limits, and repeats the request with a token. */
export function createPayingFetch(connection: Connection, getApproval: GetApproval) {
  const payer = createPayer(connection);

  /**
   * Fetches, and pays when asked to: reads the requirement, mints a token for its plan and agent, good
   * for this method and path alone, or reuses one, and repeats the request. A plan with credits left pays with
   * them. Another is ordered only within `maxSpend`, and one that is new to the account only when the call allows it.
   * Every request carries an `Idempotency-Key`, one for the whole call, and where the agent's gate takes signatures, the
   * token is bound to a key of this process and each request signed with it: no one else can use either. Throws `spending_not_allowed` before anything
   * is ordered, and what minting throws; a 402 it cannot pay comes back as it is, with `declined` telling why. A seller that
   * takes no plans is paid by `exact` from the account, or by `signer`, within the same limits; `outcome_unknown` says that
   * its answer was lost, and a call with the same `Idempotency-Key` never pays it twice.
   *
   * @example
   * const { response, receipt } = await payments.fetch(url, { method: "POST", body }, { maxSpend: 500n })
   */
  return async function payingFetch(
    url: string | URL,
    init: RequestInit = {},
    options: PayingFetchOptions = {},
  ): Promise<PaidResponse> {
    // Kept whole, because a body can be read once and may be sent several times.
    const original = new Request(url, init);
    if (!original.headers.has(IDEMPOTENCY_KEY)) {
      original.headers.set(IDEMPOTENCY_KEY, randomId("idem_"));
    }
    const reach = options.fetch ?? ((request: Request) => globalThis.fetch(request));
    const challenge = await reach(original.clone());
    if (challenge.status !== 402) return paidResponse(challenge);
    if (challenge.redirected) {
      const declined = `The request was redirected to ${challenge.url}. To pay, call that address.`;
      return { ...paidResponse(challenge), declined };
    }

    const asked = await readRequirement(challenge);
    const { payableOffers } = await import("./offers.ts");
    const offers = await payableOffers(asked, connection, options);
    if ("declined" in offers) {
      const { declined, isOfPlans } = offers;
      const call = { connection, original, challenge, reach, options, tools: exactTools };
      const paid = isOfPlans ? null : await (await import("./exact/pay-exact.ts")).payExact(call);
      return paid ?? { ...paidResponse(challenge), declined };
    }

    const { requirement, isGate } = asked;
    // An answer without an end would keep its connection.
    void challenge.body?.cancel().catch(() => {});
    // Only a gate of ours tells the service which resource a token is used for.
    const binding: Partial<ReturnType<typeof bindingOf>> = isGate
      ? bindingOf(original, requirement)
      : {};
    const need: Need = {
      ...limitsOf(options),
      tokenOptions: { ...binding, ...options.tokenOptions },
      isSigned: requirement?.extensions?.[SIGNATURE_EXTENSION] !== undefined,
      isStock: !isGate,
    };
    const key = toJson([offers, need]);
    const path = pathOf(binding.resource ?? original.url);
    const once: Send = async (given) => reach(await withToken(original, given, path));
    const isRepeatable = requirement?.extensions?.[PAYMENT_IDENTIFIER] !== undefined;
    const sending = isRepeatable ? repeating(once, original.signal) : once;
    const send = awaiting(sending, getApproval, { ...options, signal: original.signal });
    return payWith(payer, key, () => payer.mint(key, offers, need), send);
  };
}

/** Pays with the token for such calls, and with other ones as long as they can help. */
async function payWith(
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

const limitsOf = ({ planId, maxSpend, allowPlans, allowSellers }: PayingFetchOptions) => ({
  ...(planId !== undefined && { planId }),
  ...(maxSpend !== undefined && { maxSpend }),
  ...(allowPlans && { allowPlans }),
  ...(allowSellers && { allowSellers }),
});

type Send = (token: FetchToken) => Promise<Response>;
type GetApproval = (approvalId: string) => Promise<{ status: string }>;

/** Asks for a lost reply once more, where the gate knows a repeat by its key. */
const repeating =
  (once: Send, signal: AbortSignal): Send =>
  (token) =>
    once(token).catch((error) => {
      if (signal.aborted) throw error;
      return once(token);
    });

/** Sends again once a person has approved the request; as it is without a time to wait. */
function awaiting(
  send: Send,
  getApproval: GetApproval,
  { approvalTimeoutMs: timeoutMs, signal }: { approvalTimeoutMs?: number; signal: AbortSignal },
): Send {
  if (!timeoutMs) return send;
  return async (token) => {
    const response = await send(token);
    if (response.status !== 402) return response;
    const { isApproved } = await loadRare();
    const body = await readBody(response);
    // Set before the wait, because the person may decide after the caller stopped waiting.
    token.hasApproval = hasApproval(body);
    return (await isApproved(getApproval, body, { timeoutMs, signal })) ? send(token) : response;
  };
}

type Body = Record<string, unknown> | null;

/** Whether the request waits for a person or was declined. */
const hasApproval = (body: Body): boolean =>
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

/** What the token is good for: this method, and this path as the agent's own gate knows it. */
function bindingOf(
  { url, method }: Request,
  requirement: X402PaymentRequired | null,
): { resource: string; httpVerb: string } {
  const own = url.split(/[?#]/, 1)[0] as string;
  const inside = requirement?.resource && pathOf(requirement.resource.url);
  // Behind a proxy the agent may know only the end of the path; another path it may not name.
  const isPartOfIt = inside !== undefined && pathOf(own).endsWith(inside);
  const outside = own.slice(0, own.length - pathOf(own).length);
  const resource = isPartOfIt ? outside + inside : own;
  return { resource, httpVerb: method === "HEAD" ? "GET" : method };
}

async function withToken(
  original: Request,
  { accessToken, signer }: FetchToken,
  path: string,
): Promise<Request> {
  const headers = new Headers(original.headers);
  const own = signer
    ? await signer.sign(original, accessToken, path)
    : { [X402_HEADERS.PAYMENT_SIGNATURE]: accessToken };
  for (const [name, value] of Object.entries(own)) {
    // The caller may have signed the request for others.
    if (name.startsWith("signature")) headers.append(name, value);
    else headers.set(name, value);
  }
  // A redirect would carry the token to another place.
  return new Request(original.clone(), { headers, redirect: "manual" });
}

/** The whole requirement from a gate's body, or the one in the header, which may be shortened. */
async function readRequirement(challenge: Response): Promise<Challenge & { isGate: boolean }> {
  const body = await readBody(challenge);
  const { data, success: isGate } = X402PaymentRequired.safeParse(body?.paymentRequired);
  const header = challenge.headers.get(X402_HEADERS.PAYMENT_REQUIRED) ?? "";
  return { requirement: data ?? decodePaymentRequired(header), challenge, body, isGate };
}

function asDeclined(paid: PaidResponse, body: Body): PaidResponse {
  const code = body?.code;
  const reason = typeof code === "string" ? `: ${code}` : "";
  return { ...paid, declined: `The agent refused the token${reason}.` };
}
