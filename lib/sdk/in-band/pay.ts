import {
  type PaidResponse,
  type PayingFetchOptions,
  paidResponse,
} from "../client/paid-response.ts";
import { identifierOf } from "../client/paying/payment-identifier.ts";
import type { Payments } from "../client/payments.ts";
import { MAX_TIMER_MS } from "../client/waiting/max-timer.ts";
import { untilAborted } from "../client/waiting/until-aborted.ts";
import { decodeAccessToken } from "../protocol/access-token.ts";
import type { AccessToken } from "../protocol/access-token-schema.ts";
import { canParseUrl } from "../protocol/encoding/parse-url.ts";
import { PaymentsError } from "../protocol/errors.ts";
import { isTooDeep, toJson, withoutNulls } from "../protocol/json.ts";
import { readPaymentRequired, type X402PaymentRequired } from "../protocol/payment-required.ts";
import { SIGNATURE_EXTENSION } from "../protocol/request-signature.ts";
import { visibleText } from "../protocol/visible-text.ts";
import {
  decodeHeader,
  encodeHeader,
  PAYMENT_IDENTIFIER,
  X402_HEADERS,
} from "../protocol/x402-headers.ts";

/** The result of a paid call. */
export type PaidResult<Result> = Omit<PaidResponse, "response"> & { result: Result };

/** How a call inside a message is paid, named and ended: what `payments.fetch` takes, and of its request what such a call has. */
export type PaidCallOptions = Omit<PayingFetchOptions, "fetch" | "callName"> & {
  /**
   * Names the call, beside its tool for MCP and alone for A2A, as the header `Idempotency-Key` does: a repeat within ten minutes is not
   * charged again. A call of another server or agent needs another key. Default: a new one.
   */
  idempotencyKey?: string;
  /** Ends the call. */
  signal?: AbortSignal;
  /** How long the call may take, payment and all. Default: each of its requests as long as the client lets it. */
  timeoutMs?: number;
};

/** What a client's own method takes in addition to the message. */
type RequestLimits = { signal?: AbortSignal; timeoutMs?: number };

/** What a message carries to pay: a token's document, or a payment by `exact`. */
type InBandPayment = AccessToken | Record<string, unknown>;

/** How a protocol whose messages carry payments sends calls and reads answers. */
export type InBandSide<Result> = {
  /** Names the call for its caller, and is the resource's URL where its requirement names none. */
  url: string;
  send(
    payment: InBandPayment | null,
    previous: Result | null,
    limits: RequestLimits,
  ): Promise<Result>;
  /** What a gate says in place of an answer: the requirement, or an error without one; else undefined. */
  readRefusal(result: Result): unknown;
  /** The receipt in an answer, else undefined. */
  readReceipt(result: Result): unknown;
};

/**
 * Sends a call, and pays when asked to: the paying `fetch` with messages in place of HTTP. Throws what
 * `send` and minting throw; a result that may not or cannot be paid is returned as it is, with `declined`.
 */
export async function payInBand<Result>(
  payments: Pick<Payments, "fetch">,
  side: InBandSide<Result>,
  { signal: given, timeoutMs, ...options }: PaidCallOptions,
): Promise<PaidResult<Result>> {
  if (options.idempotencyKey?.trim() === "") {
    throw new PaymentsError("invalid_input", "An `idempotencyKey` has at least one character.");
  }
  const isTimed = timeoutMs !== undefined && timeoutMs <= MAX_TIMER_MS;
  // Not of the platform's signals: Node 20 forgets that of a time which only others follow.
  const ended = new AbortController();
  const end = () => ended.abort(given?.reason);
  if (given?.aborted) end();
  given?.addEventListener("abort", end, { once: true });
  const late = () => ended.abort(new DOMException("The call took too long.", "TimeoutError"));
  const timer = isTimed ? setTimeout(late, timeoutMs) : undefined;
  const signal = given || isTimed ? ended.signal : undefined;
  const limits = {
    ...(signal && { signal }),
    ...(timeoutMs !== undefined && { timeoutMs: Math.min(timeoutMs, MAX_TIMER_MS) }),
  };
  // A client may not heed the signal.
  return untilAborted(pay(payments, side, { ...options, limits }), signal).finally(() => {
    clearTimeout(timer);
    given?.removeEventListener("abort", end);
  });
}

async function pay<Result>(
  payments: Pick<Payments, "fetch">,
  side: InBandSide<Result>,
  { idempotencyKey, limits, ...options }: PaidCallOptions & { limits: RequestLimits },
): Promise<PaidResult<Result>> {
  const { signal } = limits;
  signal?.throwIfAborted();
  let result = await side.send(null, null, limits);
  const required = requirementIn(side.readRefusal(result));
  const read = ({ response: _, ...paid }: PaidResponse): PaidResult<Result> => ({
    ...paid,
    agentRequestId: paid.agentRequestId ?? paid.receipt?.agentRequestId ?? null,
    result,
  });
  // Nothing was paid, whatever a server writes.
  if (!required) return read({ ...paidResponse(toResponse(side, result)), receipt: null });

  let isFirst = true;
  const thrown = new WeakMap<Response, unknown>();
  const reach = async (request: Request): Promise<Response> => {
    if (!isFirst) {
      const payment = await paymentIn(request, required.requirement);
      signal?.throwIfAborted();
      try {
        result = await side.send(payment, result, limits);
      } catch (error) {
        // MCP's client throws an end of ours as an error of the server.
        const status = signal?.aborted ? null : statusOf(error);
        if (status === null) throw error;
        const response = Response.json({ error: textOf(error) }, { status });
        thrown.set(response, error);
        return response;
      }
    }
    isFirst = false;
    return toResponse(side, result);
  };
  const named = required.requirement.resource?.url ?? "";
  const url = canParseUrl(named) ? named : side.url;
  const headers = { ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }) };
  const init = { method: "POST", headers, ...(signal && { signal }) };
  const paid = await payments.fetch(url, init, { ...options, fetch: reach, callName: side.url });
  if (!thrown.has(paid.response)) return read(paid);
  const { payment } = paid;
  const cause = thrown.get(paid.response);
  if (!payment) throw cause;
  const hint = "Call again with the same `idempotencyKey`: it never pays twice.";
  if (paid.response.status === 202) {
    // Its client reads in the error itself where the user is sent.
    const message = `${textOf(cause).replace(/\.?$/, ".")} The call may be paid. ${hint}`;
    throw Object.assign(Object(cause), { payment, hint, message });
  }
  throw new PaymentsError(
    "outcome_unknown",
    `The call failed, and its payment may be captured: ${textOf(cause)}`,
    { cause, payment, hint },
  );
}

const textOf = (error: unknown): string =>
  visibleText(error instanceof Error ? error.message : String(error));

/**
 * The HTTP status that says of a call what a thrown error says: its own where a transport throws one, such as a proxy's 504, which leaves
 * open what became of the call, and 500 for an error of MCP or A2A that the server answered. One that asks for the call once more keeps
 * the token, as an answer that is not settled yet. Null where no answer came: a client's connection closed, its time is over, or the
 * error has no code of either kind.
 */
function statusOf(error: unknown): number | null {
  const { name, message, code, envelopeCode, statusCode } = Object(error) as Record<
    string,
    unknown
  >;
  if (OF_MCP_CLIENTS.test(String(message))) return null;
  if (code === URL_ELICITATION_REQUIRED) return 202;
  // Errors of a message, in which a server may give any code.
  if (name === "McpError" || envelopeCode !== undefined || Number(code) <= -32_000) return 500;
  const status = Number(code ?? statusCode);
  return status >= 400 && status <= 599 ? status : null;
}
const URL_ELICITATION_REQUIRED = -32_042;

/** What MCP's clients say by codes that servers use, too. */
const OF_MCP_CLIENTS =
  /^MCP error -3200[01]: (Connection closed|Request timed out|Maximum total timeout exceeded)$/;

/**
 * The token of a request as a message carries it, with what names the request: its signature, or where it has none its
 * `Idempotency-Key`, so that a lost reply can be asked for again. A payment by `exact` names it itself.
 */
async function paymentIn(
  { headers }: Request,
  { extensions }: X402PaymentRequired,
): Promise<InBandPayment> {
  const header = headers.get(X402_HEADERS.PAYMENT_SIGNATURE) ?? "";
  const token = decodeAccessToken(header);
  if (!token) return decodeHeader(header) as Record<string, unknown>;
  const named = { ...token.extensions };
  const signatureInput = headers.get("signature-input");
  if (signatureInput !== null) {
    named[SIGNATURE_EXTENSION] = { signatureInput, signature: headers.get("signature") };
  } else if (extensions?.[PAYMENT_IDENTIFIER]) {
    const key = headers.get("idempotency-key") ?? "";
    named[PAYMENT_IDENTIFIER] = { info: { id: await identifierOf(key) } };
  }
  return { ...token, extensions: named };
}

type Required = { requirement: X402PaymentRequired; members: Record<string, unknown> };

function requirementIn(value: unknown): Required | null {
  const members = withoutNulls(value);
  const requirement = readPaymentRequired(members);
  return requirement && { requirement, members: members as Record<string, unknown> };
}

/** The statuses over HTTP of what a gate refuses without a requirement. */
const REFUSALS = new Map<unknown, number>([
  ["conflict", 409],
  ["idempotency_conflict", 409],
  ["unavailable", 503],
  ["timeout", 504],
  ["internal", 500],
]);
const RETRY_AFTER_SECS = "5";

/** An answer as the paying `fetch` reads it. Only Turnpike's gate sends a `code`. */
function toResponse<Result>(side: InBandSide<Result>, result: Result): Response {
  const receipt = side.readReceipt(result) ?? null;
  const headers = new Headers();
  if (!isTooDeep(receipt)) headers.set(X402_HEADERS.PAYMENT_RESPONSE, encodeHeader(receipt));
  const refusal = side.readRefusal(result);
  const required = requirementIn(refusal);
  if (!required) return receipt ? new Response(null, { headers }) : withoutRequirement(refusal);
  const { requirement, members } = required;
  const { code, cause, approval, retryable } = members;
  const isGate = typeof code === "string";
  headers.set(X402_HEADERS.PAYMENT_REQUIRED, encodeHeader(requirement));
  const body = isGate ? { code, cause, approval, retryable, paymentRequired: requirement } : {};
  return new Response(toJson(body), { status: 402, headers });
}

/** A result without a requirement: what a gate refuses, which says its code twice, or the call's outcome. */
function withoutRequirement(refusal: unknown): Response {
  const { code, error, agentRequestId: id } = Object(refusal) as Record<string, unknown>;
  const isNamed = typeof id === "string" && /^\w+$/.test(id);
  const status = error === code ? REFUSALS.get(code) : undefined;
  // Without its name, what timed out would be taken for a proxy's time limit, and asked to run again.
  if (status === undefined || (status === 504 && !isNamed)) return new Response(null);
  const headers = {
    ...(isNamed && { "payment-request-id": id }),
    ...(status === 503 && { "retry-after": RETRY_AFTER_SECS }),
  };
  return Response.json({ code, retryable: code === "conflict" }, { status, headers });
}
