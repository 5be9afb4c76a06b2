import type { Payments } from "../client/payments.ts";
import { createGate, type GateOptions } from "./gate.ts";
import type { RouteMap } from "./routes.ts";

/** As much of a Hono context as the middleware uses, so that Hono need not be installed. */
export type HonoLikeContext = {
  req: { raw: Request };
  get res(): Response;
  set res(response: Response | undefined);
  set(key: string, value: unknown): void;
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
    const response = await gate(c.req.raw, async (request, payment) => {
      if (!payment) {
        await next();
        return c.res;
      }
      c.req.raw = request;
      c.set("payment", payment);
      await next();
      return c.res;
    });
    // Assigning over a response would merge the old one's headers back in.
    if (response !== c.res) {
      c.res = undefined;
      c.res = response;
    }
    return response;
  };
}
