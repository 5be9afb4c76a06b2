import type { Payments } from "../../client/payments.ts";
import { createGate } from "../gate.ts";
import type { GateOptions } from "../gate-options.ts";
import type { Delivery } from "../http-response.ts";
import type { RouteMap } from "../routes.ts";

/** The parts of a Hono context that the middleware uses, so that Hono is not a dependency. */
export type HonoLikeContext = {
  req: { raw: Request };
  get res(): Response;
  set res(response: Response | undefined);
  set(key: string, value: unknown): void;
  env?: unknown;
};

/**
 * The gate as a Hono middleware (§4.5): `app.use(PaymentMiddleware(payments, routes))`, before the
 * routes it guards. The work finds its payment at `c.get("payment")`.
 */
export function PaymentMiddleware(payments: Payments, routes: RouteMap, options?: GateOptions) {
  const gate = createGate(payments, routes, options);

  return async function paymentMiddleware(
    c: HonoLikeContext,
    next: () => Promise<void>,
  ): Promise<Response> {
    const { raw } = c.req;
    const response = await gate(
      raw,
      async (request, payment) => {
        if (payment) {
          c.req.raw = request;
          c.set("payment", payment);
        }
        await next();
        return c.res;
      },
      deliveryOf(c.env),
    );
    // Middleware before the gate may compress what leaves it.
    c.req.raw = raw;
    // Assigning over a response would merge the old headers back in.
    if (response !== c.res) {
      // Trailers need a chunked body; the server would set a length on a short one.
      if (response.headers.has("trailer")) response.headers.set("transfer-encoding", "chunked");
      c.res = undefined;
      c.res = response;
    }
    return response;
  };
}

type NodeBindings = {
  incoming?: { httpVersion?: string };
  outgoing?: { addTrailers?(trailers: Record<string, string>): void };
};

/** Trailers, where Hono runs on a Node server. */
function deliveryOf(env: unknown): Delivery {
  const { incoming, outgoing } = (env ?? {}) as NodeBindings;
  if (incoming?.httpVersion !== "1.1" || !outgoing?.addTrailers) return {};
  return { addTrailers: (trailers) => outgoing.addTrailers?.(trailers) };
}
