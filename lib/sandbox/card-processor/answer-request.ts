import { createHash, randomBytes } from "node:crypto";
import { type FormTree, parseForm, valuesOf } from "./form-body.ts";
import { readForm } from "./read-params.ts";
import type { Route } from "./routes.ts";
import { createEmitter, type Scope } from "./scope.ts";
import type { Kind, Store, Work } from "./store.ts";
import { invalid, StripeFailure } from "./stripe-failure.ts";

export type ApiRequest = {
  method: string;
  path: string;
  query: string;
  body: string;
  /** The API key, from any of its places. */
  key: string;
  idempotencyKey: string | null;
  /** The connected account that it is made for. */
  account: string | null;
  /** Where the processor was reached. */
  origin: string;
};

export type ApiResponse = { status: number; body: string; headers: Record<string, string> };

export type ProcessorParts = {
  store: Store;
  keys: { secretKey: string; publishableKey: string };
  findRoute: (method: string, path: string) => Route | null;
  hasWebhook: boolean;
  now: () => number;
};

/** Idempotency keys expire after this time. */
const KEPT_SECS = 86_400;

/**
 * Answers one request in Stripe's format: key, route, idempotency, effect. `isBroken` applies the effect and then
 * answers 500, which the idempotency key replays, as Stripe does.
 */
export function answerRequest(
  parts: ProcessorParts,
  request: ApiRequest,
  isBroken = false,
): ApiResponse {
  const requestId = `req_${randomBytes(7).toString("hex")}`;
  const work = parts.store.begin();
  let answer: ApiResponse;
  let isKept = false;
  try {
    const route = openRoute(parts, request);
    const params = readForm(request.method === "POST" ? request.body : request.query);
    const key = request.method === "POST" ? request.idempotencyKey : null;
    const kept = key === null ? null : findKept(parts, work, key, request);
    if (kept) return withId(kept, requestId, { "idempotent-replayed": "true" });
    const scope: Scope = {
      work,
      params,
      ids: route.ids,
      now: parts.now(),
      isPublic: request.key !== parts.keys.secretKey,
      afterwards: [],
      account: request.account,
      origin: request.origin,
      emit: createEmitter(work, {
        now: parts.now(),
        requestId,
        idempotencyKey: key,
        hasWebhook: parts.hasWebhook,
        isLive: parts.keys.secretKey.startsWith("sk_live_"),
      }),
    };
    answer = handle(scope, route);
    isKept = answer.status < 400 || answer.status === 402;
    if (isBroken && isKept) answer = failureAnswer(INTERNAL);
    if (isKept && key !== null) keep(parts, work, key, request, answer);
  } catch (cause) {
    const failure = cause instanceof StripeFailure ? cause : INTERNAL;
    answer = failureAnswer(failure);
    if (failure.isKept) keepRefusal(parts, request, answer);
  }
  if (isKept) parts.store.commit(work);
  return withId(answer, requestId, {});
}

/** Answers 500 without an effect, as of a request that broke while it ran. */
export function breakRequest(parts: ProcessorParts, request: ApiRequest): ApiResponse {
  const { idempotencyKey: key } = request;
  if (key !== null && parts.store.begin().find("kept_answer", key)) {
    return answerRequest(parts, request);
  }
  const answer = withId(failureAnswer(INTERNAL), `req_${randomBytes(7).toString("hex")}`, {});
  keepRefusal(parts, request, answer);
  return answer;
}

/** Runs the route. A declined card is an answer with effects, unlike other errors. */
function handle(scope: Scope, route: Route): ApiResponse {
  try {
    const result = expandAnswer(scope, route.handle(scope));
    for (const follow of scope.afterwards) follow();
    return { status: 200, body: JSON.stringify(result), headers: {} };
  } catch (cause) {
    if (cause instanceof StripeFailure && cause.status === 402) return failureAnswer(cause);
    throw cause;
  }
}

function openRoute({ keys, findRoute }: ProcessorParts, { method, path, key }: ApiRequest): Route {
  if (key === "") {
    throw new StripeFailure(
      401,
      "invalid_request_error",
      "You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth.",
    );
  }
  if (key !== keys.secretKey && key !== keys.publishableKey) {
    // Like Stripe, show only the beginning and end of a wrong key.
    const shown = key.length > 16 ? `${key.slice(0, 8)}****${key.slice(-4)}` : "****";
    throw new StripeFailure(401, "invalid_request_error", `Invalid API Key provided: ${shown}`);
  }
  const route = findRoute(method, path);
  if (!route) {
    throw new StripeFailure(
      404,
      "invalid_request_error",
      `Unrecognized request URL (${method}: ${path}). If you are trying to list objects, remove the trailing slash. If you are trying to retrieve an object, make sure you passed a valid (non-empty) identifier in your code.`,
    );
  }
  if (key === keys.publishableKey && !route.isPublic) {
    throw new StripeFailure(
      403,
      "invalid_request_error",
      "This API call cannot be made with a publishable API key. Please use a secret API key.",
      { code: "secret_key_required" },
    );
  }
  return route;
}

function findKept(
  parts: ProcessorParts,
  work: Work,
  key: string,
  request: ApiRequest,
): ApiResponse | null {
  if (key === "" || key.length > 255) {
    throw new StripeFailure(400, "idempotency_error", "Idempotency keys take 1 to 255 characters.");
  }
  const kept = work.find("kept_answer", key);
  if (!kept || kept.at + KEPT_SECS < parts.now()) return null;
  if (kept.fingerprint !== fingerprintOf(request)) {
    throw new StripeFailure(
      400,
      "idempotency_error",
      "Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than the one given if you meant to execute a different request.",
    );
  }
  return { status: kept.status, body: kept.body, headers: {} };
}

function keep(
  parts: ProcessorParts,
  work: Work,
  key: string,
  request: ApiRequest,
  { status, body }: ApiResponse,
): void {
  const fingerprint = fingerprintOf(request);
  work.put({ object: "kept_answer", id: key, fingerprint, status, body, at: parts.now() });
}

/** Of a refused request nothing is left but its answer. */
function keepRefusal(parts: ProcessorParts, request: ApiRequest, answer: ApiResponse): void {
  if (request.method !== "POST" || request.idempotencyKey === null) return;
  const work = parts.store.begin();
  keep(parts, work, request.idempotencyKey, request, answer);
  parts.store.commit(work);
}

/** A fingerprint of the request, independent of parameter order. */
const fingerprintOf = ({ method, path, body, account }: ApiRequest): string =>
  createHash("sha256")
    .update(`${account ?? ""} ${method} ${path} ${JSON.stringify(sorted(parseForm(body)))}`)
    .digest("hex");

const sorted = (tree: FormTree): unknown =>
  Object.entries(tree)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => [key, typeof value === "string" ? value : sorted(value)]);

export const failureAnswer = (failure: StripeFailure): ApiResponse => ({
  status: failure.status,
  body: JSON.stringify(failure.body()),
  headers: {},
});

const withId = (
  { status, body, headers }: ApiResponse,
  requestId: string,
  more: Record<string, string>,
): ApiResponse => ({
  status,
  body,
  headers: {
    "content-type": "application/json",
    "request-id": requestId,
    "stripe-should-retry": "false",
    ...headers,
    ...more,
  },
});

export const INTERNAL = new StripeFailure(
  500,
  "api_error",
  "An unknown error occurred. Please try again.",
);

export const RATE_LIMITED = new StripeFailure(
  429,
  "invalid_request_error",
  "Request rate limit exceeded.",
  { code: "rate_limit" },
);

export const KEY_IN_USE = new StripeFailure(
  409,
  "idempotency_error",
  "There is currently another in-progress request using this Stripe-Idempotency-Key.",
  { code: "idempotency_key_in_use" },
);

const KIND_OF: Record<string, Kind> = {
  cus: "customer",
  pm: "payment_method",
  seti: "setup_intent",
  pi: "payment_intent",
  ch: "charge",
  re: "refund",
  dp: "dispute",
  acct: "account",
  tr: "transfer",
  trr: "transfer_reversal",
  po: "payout",
  txn: "balance_transaction",
};

/** Replaces the ids listed in `expand[]`, such as `latest_charge` or `data.customer`, with their objects. */
function expandAnswer(scope: Scope, answer: unknown): unknown {
  const paths = valuesOf(scope.params.expand);
  if (paths.length === 0) return answer;
  const copy = structuredClone(answer);
  for (const path of paths) {
    if (typeof path !== "string" || path.split(".").length > 5) {
      throw invalid("Invalid expand.", { param: "expand" });
    }
    expandAt(scope, copy, path.split("."), path);
  }
  return copy;
}

function expandAt(scope: Scope, node: unknown, [step = "", ...rest]: string[], path: string): void {
  if (Array.isArray(node)) {
    for (const each of node) expandAt(scope, each, [step, ...rest], path);
    return;
  }
  const object = node as Record<string, unknown>;
  if (typeof node !== "object" || node === null || !Object.hasOwn(object, step)) {
    throw invalid(`This property cannot be expanded (${path}).`, { param: "expand" });
  }
  const value = object[step];
  if (typeof value === "string") {
    const kind = KIND_OF[value.slice(0, value.indexOf("_"))];
    const row = kind && scope.work.find(kind, value);
    if (!row) throw invalid(`This property cannot be expanded (${path}).`, { param: "expand" });
    object[step] = row;
  }
  if (rest.length > 0 && object[step] !== null) expandAt(scope, object[step], rest, path);
}
