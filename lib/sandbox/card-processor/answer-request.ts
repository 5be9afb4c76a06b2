import { createHash, randomBytes } from "node:crypto";
import { expandAnswer } from "./expand.ts";
import { type FormTree, parseForm } from "./form-body.ts";
import { readForm } from "./read-params.ts";
import type { Route } from "./routes.ts";
import { createEmitter, type Scope } from "./scope.ts";
import type { Store, Work } from "./store.ts";
import { StripeFailure } from "./stripe-failure.ts";

export type Asked = {
  method: string;
  path: string;
  query: string;
  body: string;
  /** The API key, however it was sent. */
  key: string;
  idempotencyKey: string | null;
};

export type Answered = { status: number; body: string; headers: Record<string, string> };

export type Desk = {
  store: Store;
  keys: { secretKey: string; publishableKey: string };
  findRoute: (method: string, path: string) => Route | null;
  hasWebhook: boolean;
  now: () => number;
};

/** Stripe forgets a key after at least this long. */
const KEPT_SECS = 86_400;

/**
 * Answers one request: key, route, idempotency, effect, all in Stripe's shapes. `isBroken` carries the
 * effect out and then answers 500, which the idempotency key remembers, as Stripe's do.
 */
export function answerRequest(desk: Desk, asked: Asked, isBroken = false): Answered {
  const requestId = `req_${randomBytes(7).toString("hex")}`;
  const work = desk.store.begin();
  let answer: Answered;
  let isKept = false;
  try {
    const route = openRoute(desk, asked);
    const params = readForm(asked.method === "POST" ? asked.body : asked.query);
    const key = asked.method === "POST" ? asked.idempotencyKey : null;
    const kept = key === null ? null : findKept(desk, work, key, asked);
    if (kept) return withId(kept, requestId, { "idempotent-replayed": "true" });
    const scope: Scope = {
      work,
      params,
      ids: route.ids,
      now: desk.now(),
      isPublic: asked.key !== desk.keys.secretKey,
      emit: createEmitter(work, {
        now: desk.now(),
        requestId,
        idempotencyKey: key,
        hasWebhook: desk.hasWebhook,
      }),
    };
    answer = handle(scope, route);
    isKept = answer.status < 400 || answer.status === 402;
    if (isBroken && isKept) answer = failureAnswer(INTERNAL);
    if (isKept && key !== null) keep(desk, work, key, asked, answer);
  } catch (cause) {
    answer = failureAnswer(cause instanceof StripeFailure ? cause : INTERNAL);
  }
  if (isKept) desk.store.commit(work);
  return withId(answer, requestId, {});
}

/** Does the work; a declined card is an answer with effects, unlike other refusals. */
function handle(scope: Scope, route: Route): Answered {
  try {
    const result = expandAnswer(scope, route.handle(scope));
    return { status: 200, body: JSON.stringify(result), headers: {} };
  } catch (cause) {
    if (cause instanceof StripeFailure && cause.status === 402) return failureAnswer(cause);
    throw cause;
  }
}

function openRoute({ keys, findRoute }: Desk, { method, path, key }: Asked): Route {
  if (key === "") {
    throw new StripeFailure(
      401,
      "invalid_request_error",
      "You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth.",
    );
  }
  if (key !== keys.secretKey && key !== keys.publishableKey) {
    // Like Stripe, never more of a wrong key than its beginning and end.
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

function findKept(desk: Desk, work: Work, key: string, asked: Asked): Answered | null {
  if (key === "" || key.length > 255) {
    throw new StripeFailure(400, "idempotency_error", "Idempotency keys take 1 to 255 characters.");
  }
  const kept = work.find("kept_answer", key);
  if (!kept || kept.at + KEPT_SECS < desk.now()) return null;
  if (kept.fingerprint !== fingerprintOf(asked)) {
    throw new StripeFailure(
      400,
      "idempotency_error",
      "Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than the one given if you meant to execute a different request.",
    );
  }
  return { status: kept.status, body: kept.body, headers: {} };
}

function keep(desk: Desk, work: Work, key: string, asked: Asked, { status, body }: Answered): void {
  const fingerprint = fingerprintOf(asked);
  work.put({ object: "kept_answer", id: key, fingerprint, status, body, at: desk.now() });
}

/** The request whatever the order of its parameters. */
const fingerprintOf = ({ method, path, body }: Asked): string =>
  createHash("sha256")
    .update(`${method} ${path} ${JSON.stringify(sorted(parseForm(body)))}`)
    .digest("hex");

const sorted = (tree: FormTree): unknown =>
  Object.entries(tree)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => [key, typeof value === "string" ? value : sorted(value)]);

export const failureAnswer = (failure: StripeFailure): Answered => ({
  status: failure.status,
  body: JSON.stringify(failure.body()),
  headers: {},
});

const withId = (
  { status, body, headers }: Answered,
  requestId: string,
  more: Record<string, string>,
): Answered => ({
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
