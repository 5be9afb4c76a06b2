import { toJson } from "../../protocol/json.ts";
import { pathOf } from "../../protocol/match-route.ts";
import type { X402PaymentRequired } from "../../protocol/payment-required.ts";
import { PAYMENT_IDENTIFIER, X402_HEADERS } from "../../protocol/x402-headers.ts";
import type { Connection } from "../connection.ts";
import { type FetchToken, type Need, wayOf } from "../fetch-tokens.ts";
import type { PayableOffer } from "../offers.ts";
import type { PaidResponse, PayingFetchOptions } from "../paid-response.ts";
import { loadRare } from "../rare-group.ts";
import type { ChallengedCall } from "./challenged-call.ts";
import { digestOf, type NamedCalls } from "./named-calls.ts";
import { createPayer, hasApproval, payWith, type Send } from "./payer.ts";
import { readBody } from "./read-body.ts";
import { repeating } from "./repeat-lost.ts";

/** A call that was answered by a 402 with offers of plans that may be paid. */
type OfferedCall = Pick<ChallengedCall, "original" | "reach" | "options"> & {
  /** The call itself, also when it is made again. */
  name: string | null;
  requirement: X402PaymentRequired | null;
  /** Whether a gate of ours answered. */
  isGate: boolean;
  offers: PayableOffer[];
  /** Whether the gate takes signatures, and this platform makes them. */
  isSigned: boolean;
  checkSeller: Need["checkSeller"];
};

export type GetApproval = (approvalId: string) => Promise<{ status: string }>;

/** Pays by plans for the calls of one instance. */
export function createOfferPayer(
  connection: Connection,
  getApproval: GetApproval,
  calls: NamedCalls,
) {
  const payer = createPayer(connection, calls);

  return async function payOffers(call: OfferedCall): Promise<PaidResponse> {
    const { original, name, requirement, isGate, isSigned, offers, reach, options } = call;
    // Only a gate of ours tells the service which resource a token is used for.
    const binding: Partial<ReturnType<typeof bindingOf>> = isGate
      ? bindingOf(original, requirement)
      : {};
    const limits = {
      ...limitsOf(options),
      tokenOptions: { ...binding, ...options.tokenOptions },
      isSigned,
      isStock: !isGate,
    };
    const key = await digestOf(toJson([offers, limits]));
    const need: Need = { ...limits, key, checkSeller: call.checkSeller };
    const path = pathOf(binding.resource ?? original.url);
    const once: Send = async (given) => reach(await withToken(original, given, path));
    const { signal } = original;
    const isNamed = requirement?.extensions?.[PAYMENT_IDENTIFIER] !== undefined;
    const sending = isNamed ? repeating(once, { signal, isNamed }) : once;
    const send = awaiting(sending, getApproval, { ...options, signal });
    const mint = (mustOrder: boolean) => payer.mint(offers, need, mustOrder);
    const ways = offers.map(wayOf);
    return payWith(payer, { key, name, ways, mint, send, signal });
  };
}

const limitsOf = ({ planId, maxSpend, allowPlans, allowSellers }: PayingFetchOptions) => ({
  ...(planId !== undefined && { planId }),
  ...(maxSpend !== undefined && { maxSpend }),
  ...(allowPlans && { allowPlans }),
  ...(allowSellers && { allowSellers }),
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
