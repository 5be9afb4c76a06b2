import type { Payments } from "../../client/payments.ts";
import { pathOf } from "../../protocol/match-route.ts";
import { logOnce } from "../faults/log-once.ts";
import { createGate } from "../gate.ts";
import type { GateOptions } from "../gate-options.ts";
import { HIDDEN_HEADERS } from "../headers.ts";
import { consoleLogger } from "../logger.ts";
import type { Payment } from "../payment.ts";
import type { RouteMap } from "../routes.ts";

/**
 * The gate around a Next route handler; route keys have the path as Next passes it on: without `basePath`, after
 * rewrites, and `:id` or `{id}` for `[id]`. The handler gets its payment as a third argument, and a request of Next's
 * class. A request that no key matches runs without payment, which is logged once for each method.
 *
 * @example
 * export const POST = createNextHandler(payments, { "POST /api/ask": { planId } }, async (request) =>
 *   Response.json(await answer(request)));
 */
export function createNextHandler<Req extends Request, Context>(
  payments: Payments,
  routes: RouteMap,
  handler: (request: Req, context: Context, payment?: Payment) => Response | Promise<Response>,
  options: GateOptions = {},
) {
  const gate = createGate(payments, routes, options);
  const { logger = consoleLogger } = options;

  return function paymentHandler(original: Req, context: Context): Promise<Response> {
    const Class = original.constructor as new (request: Request) => Req;
    const work = (request: Request, payment?: Payment) => {
      const { method } = original;
      // A browser asks which methods there are.
      if (!payment && method !== "OPTIONS") {
        const path = pathOf(original.url);
        const message = "A handler ran without payment: no route key matches.";
        const reason = `Keys have the path as Next hands it on, here ${path}: without \`basePath\`, after rewrites.`;
        logOnce(logger, method, message, { method, path, reason }, gate);
      }
      if (!payment) return handler(original, context);
      // `headers()` of Next reads those of the route's own request.
      for (const name of HIDDEN_HEADERS) original.headers.delete(name);
      return handler(new Class(request), context, payment);
    };
    return gate(original, work);
  };
}
