import { PaymentsError } from "../protocol/errors.ts";
import { toJson, withoutNulls } from "../protocol/json.ts";
import { pathOf } from "../protocol/match-route.ts";
import {
  decodePaymentRequired,
  type PaymentOffer,
  X402PaymentRequired,
} from "../protocol/payment-required.ts";
import { Settlement } from "../protocol/permission.ts";
import { planIdOf } from "../protocol/plans/plan-id-of.ts";
import { Uint256 } from "../protocol/primitives.ts";
import { readScheme } from "../protocol/schemes.ts";
import { decodeHeader, X402_HEADERS } from "../protocol/x402-headers.ts";
import type { Connection } from "./connection.ts";
import { createTtlCache } from "./ttl-cache.ts";
import type { createX402, X402TokenOptions } from "./x402.ts";

/** What a paying fetch may spend, and by which plan. */
export type PayingFetchOptions = {
  /** The most credits one request may cost; more expensive offers are declined. */
  maxCredits?: bigint | number;
  /** Pays only with this plan. */
  planId?: string;
  /** Pays only by this scheme. */
  scheme?: string;
  /** How a token is made when one is needed. */
  tokenOptions?: X402TokenOptions;
  /** Reaches the agent; the platform's `fetch` by default. */
  fetch?: (request: Request) => Promise<Response>;
};

/** A response, and what was paid for it. */
export type PaidResponse = {
  response: Response;
  /** The settlement receipt; `null` when nothing was paid, or when it comes at a stream's end. */
  receipt: Settlement | null;
  /** Names the paid request, also for `payments.requests.getRequest`. */
  agentRequestId: string | null;
  /** Why a 402 was not paid; absent when nothing was asked or all was paid. */
  declined?: string;
};

type Tokens = Pick<ReturnType<typeof createX402>, "getX402AccessToken">;

const TOKEN_CACHE_MS = 10 * 60_000;

/** A `fetch` that meets a 402, pays within its caps, and repeats the request once with a token. */
export function createPayingFetch(connection: Connection, x402: Tokens) {
  const tokens = createTtlCache<Promise<string>>(TOKEN_CACHE_MS, 100);

  /**
   * Fetches, and pays when asked to: reads the requirement, mints a token for its plan and agent, good
   * for this method and path alone, or reuses one, and repeats the request. Throws what minting throws;
   * a 402 it may not or cannot pay comes back as it is, with `declined` telling why.
   *
   * @example
   * const { response, receipt } = await payments.fetch(url, { method: "POST", body }, { maxCredits: 5n })
   */
  return async function payingFetch(
    url: string | URL,
    init: RequestInit = {},
    options: PayingFetchOptions = {},
  ): Promise<PaidResponse> {
    // Kept whole, because a body can be read once and may be sent three times.
    const original = new Request(url, init);
    const reach = options.fetch ?? ((request: Request) => globalThis.fetch(request));
    const challenge = await reach(original.clone());
    if (challenge.status !== 402) return paidResponse(challenge);

    const { requirement, isGate } = await readRequirement(challenge);
    const choice = chooseOffer(requirement, connection, options);
    if ("declined" in choice) return { ...paidResponse(challenge), declined: choice.declined };

    const { planId, agentId, scheme } = choice;
    // Only a gate of ours tells the service which resource a token is used for.
    const binding = isGate ? bindingOf(original, requirement) : {};
    const tokenOptions = { ...binding, ...options.tokenOptions, scheme };
    const key = toJson([planId, agentId, tokenOptions]);
    const mint = () => {
      const minting = x402
        .getX402AccessToken(planId, agentId, tokenOptions)
        .then(({ accessToken }) => accessToken);
      tokens.set(key, minting);
      minting.catch(() => forget(minting));
      return minting;
    };
    const forget = (token: Promise<string>) => {
      if (tokens.get(key) === token) tokens.delete(key);
    };
    const pay = async (token: string) => paidResponse(await reach(withToken(original, token)));

    const known = tokens.get(key);
    const token = known ?? mint();
    const paid = await pay(await token);
    if (paid.response.status !== 402) return paid;
    forget(token);
    // A remembered token may have ended meanwhile; a fresh one that is refused says something else.
    if (known && (await isRetryable(paid.response))) {
      return pay(await (tokens.get(key) ?? mint()));
    }
    return { ...paid, declined: await refusalOf(paid.response) };
  };
}

/** What the token is good for: this method, and this path as the agent's own gate knows it. */
function bindingOf(
  { url, method }: Request,
  requirement: X402PaymentRequired | null,
): Pick<X402TokenOptions, "resource" | "httpVerb"> {
  const own = url.split(/[?#]/, 1)[0] as string;
  const inside = requirement?.resource && pathOf(requirement.resource.url);
  // Behind a proxy the agent may know only the end of the path; another path it may not name.
  const isPartOfIt = inside !== undefined && pathOf(own).endsWith(inside);
  const outside = own.slice(0, own.length - pathOf(own).length);
  const resource = isPartOfIt ? outside + inside : own;
  return { resource, httpVerb: method === "HEAD" ? "GET" : method };
}

function withToken(original: Request, token: string): Request {
  const headers = new Headers(original.headers);
  headers.set(X402_HEADERS.PAYMENT_SIGNATURE, token);
  // A redirect would carry the token to another place.
  return new Request(original.clone(), { headers, redirect: "manual" });
}

function paidResponse(response: Response): PaidResponse {
  const header = response.headers.get(X402_HEADERS.PAYMENT_RESPONSE);
  const receipt = Settlement.safeParse(header === null ? null : decodeHeader(header));
  return {
    response,
    receipt: receipt.success ? receipt.data : null,
    agentRequestId: response.headers.get("payment-request-id"),
  };
}

/** The whole requirement from a gate's body, or the one in the header, which may be shortened. */
async function readRequirement(
  response: Response,
): Promise<{ requirement: X402PaymentRequired | null; isGate: boolean }> {
  const body = X402PaymentRequired.safeParse((await readBody(response))?.paymentRequired);
  if (body.success) return { requirement: body.data, isGate: true };
  const header = response.headers.get(X402_HEADERS.PAYMENT_REQUIRED);
  return { requirement: header === null ? null : decodePaymentRequired(header), isGate: false };
}

async function refusalOf(response: Response): Promise<string> {
  const code = (await readBody(response))?.code;
  return `The agent refused the token${typeof code === "string" ? `: ${code}` : ""}.`;
}

const isRetryable = async (response: Response) => (await readBody(response))?.retryable === true;

async function readBody(response: Response): Promise<Record<string, unknown> | null> {
  try {
    const body: unknown = withoutNulls(await response.clone().json());
    return typeof body === "object" && body !== null ? (body as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

type Choice = { planId: string; agentId: string | undefined; scheme: string };

/** The first offer that fits plan, scheme and cap, or why there is none. */
function chooseOffer(
  requirement: X402PaymentRequired | null,
  { schemeAliases }: Connection,
  { planId, scheme, maxCredits }: PayingFetchOptions,
): Choice | { declined: string } {
  if (!requirement) return { declined: "The 402 carries no requirement this client can read." };
  const asScheme = (text: string) => readScheme(text, schemeAliases) ?? text;
  const payable = requirement.accepts.filter(
    (offer) =>
      planIdOf(offer) !== undefined &&
      readScheme(offer.scheme, schemeAliases) !== null &&
      (planId === undefined || planIdOf(offer) === planId) &&
      (scheme === undefined || asScheme(offer.scheme) === asScheme(scheme)),
  );
  if (payable.length === 0) {
    return { declined: "None of the offers is of a plan and scheme you allow." };
  }
  const cap = maxCredits === undefined ? null : readCap(maxCredits);
  const chosen = payable.find((offer) => cap === null || isWithin(offer, cap));
  if (!chosen) return { declined: `Every offer costs more than ${cap} credits.` };
  return {
    planId: planIdOf(chosen) as string,
    agentId: chosen.extra?.agentId,
    scheme: chosen.scheme,
  };
}

function readCap(maxCredits: bigint | number): bigint {
  const cap = Uint256.safeParse(maxCredits);
  if (cap.success) return cap.data;
  throw new PaymentsError("invalid_input", `maxCredits: ${cap.error.issues[0]?.message}`);
}

// An offer without a readable price could cost anything, so it is above every cap.
function isWithin(offer: PaymentOffer, cap: bigint): boolean {
  const amount = Uint256.safeParse(offer.amount);
  return amount.success && amount.data <= cap;
}
