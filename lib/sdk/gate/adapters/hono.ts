import type { Payments } from "../../client/payments.ts";
import type { Delivery } from "../delivery.ts";
import { createGate } from "../gate.ts";
import type { GateOptions } from "../gate-options.ts";
import type { Payment } from "../payment.ts";
import type { RouteMap } from "../routes.ts";
import { addHeadersBefore } from "./headers-before.ts";
import { unreadForWork, unreadText } from "./unread-request.ts";

/** The parts of a Hono context that the middleware uses, so that Hono is not a dependency. */
export type HonoLikeContext = {
  req: { raw: Request; bodyCache?: object; arrayBuffer?(): Promise<ArrayBuffer> };
  get res(): Response;
  set res(response: Response | undefined);
  body?(data: null): Response;
  header?: (...given: [string, string?, object?]) => void;
  set(key: string, value: unknown): void;
  env?: unknown;
  readonly executionCtx?: object;
};

/** What routes find in Hono's context: `new Hono<{ Variables: PaymentVariables }>()`. One that no key names has no payment. */
export type PaymentVariables = { payment: Payment | undefined };

/**
 * The gate as a Hono middleware (§4.5): `app.use(PaymentMiddleware(payments, routes))`, before the
 * routes it guards. The work finds its payment at `c.get("payment")`.
 */
export function PaymentMiddleware(payments: Payments, routes: RouteMap, options?: GateOptions) {
  const gate = createGate(payments, routes, options);

  return async function paymentMiddleware(
    c: HonoLikeContext,
    next: () => Promise<void>,
    onError?: Delivery["onError"],
  ): Promise<Response> {
    const { raw } = c.req;
    // Once it is asked for its response, Hono makes another one of the work's, with a stream for its text.
    const { headers } = c.body?.(null) ?? c.res ?? new Response();
    const before = { ...Object.fromEntries(headers), "set-cookie": headers.getSetCookie() };
    const isBare = headers.keys().next().done;
    const hasBefore = !isBare && c.res;
    if (!hasBefore) keepHeaders(c);
    let worked: Headers | undefined;
    const response = await gate(
      await unreadRequest(c.req),
      async (request, payment) => {
        if (payment) {
          c.req.raw = request;
          c.set("payment", payment);
        }
        await next();
        if (hasBefore) worked = new Headers(c.res.headers);
        return c.res;
      },
      {
        ...deliveryOf(c.env),
        waitUntil: (end) => contextOf(c)?.waitUntil?.(end),
        ...(onError && { onError }),
      },
    );
    // Middleware before the gate may compress what leaves it.
    c.req.raw = raw;
    // Assigning over a response would merge the old headers back in.
    if (response !== c.res) {
      if (!isBare) addHeadersBefore(response.headers, before, worked);
      c.res = undefined;
      c.res = response;
    }
    return response;
  };
}

/** What the work sets on its context comes with a response of the work's own if the context has one before. */
function keepHeaders(c: HonoLikeContext): void {
  const { header } = c;
  if (!header) return;
  c.header = (...given) => {
    c.header = header;
    void c.res;
    header(...given);
  };
}

/** Middleware before the gate may have read the body: Hono keeps what it read. A form's bytes are not kept. */
function unreadRequest(req: HonoLikeContext["req"]): Request | Promise<Request> {
  const { raw, bodyCache = {} } = req;
  const isKept = Object.keys(bodyCache).length > 0 && !("formData" in bodyCache);
  if (!isKept || !req.arrayBuffer) return raw;
  return req.arrayBuffer().then((body) => new Request(raw, { body }));
}

/** Hono throws where its platform has none. */
function contextOf(c: HonoLikeContext): Pick<Delivery, "waitUntil"> | undefined {
  try {
    return c.executionCtx;
  } catch {
    return undefined;
  }
}

type NodeBindings = {
  incoming?: { httpVersion?: string };
  outgoing?: { addTrailers?(trailers: Record<string, string>): void };
};

/** Trailers, and requests and answers that are not copied, where Hono runs on a Node server. */
function deliveryOf(env: unknown): Delivery {
  const { incoming, outgoing } = (env ?? {}) as NodeBindings;
  if (!incoming) return {};
  const copies = { forWork: unreadForWork, textOf: unreadText, needsChunks: true };
  if (incoming.httpVersion !== "1.1" || !outgoing?.addTrailers) return copies;
  return { addTrailers: (trailers) => outgoing.addTrailers?.(trailers), ...copies };
}
