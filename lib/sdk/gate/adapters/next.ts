import type { Payments } from "../../client/payments.ts";
import { createGate } from "../gate.ts";
import type { GateOptions } from "../gate-options.ts";
import type { Payment } from "../payment.ts";
import type { RouteMap } from "../routes.ts";

/**
 * The gate around a Next route handler; route keys have the URL's whole path. The handler gets its
 * payment as a third argument, and a request of Next's class.
 *
 * @example
 * export const POST = createNextHandler(payments, { "POST /api/ask": { planId } }, async (request) =>
 *   Response.json(await answer(request)));
 */
export function createNextHandler<Req extends Request, Context>(
  payments: Payments,
  routes: RouteMap,
  handler: (request: Req, context: Context, payment?: Payment) => Response | Promise<Response>,
  options?: GateOptions,
) {
  const gate = createGate(payments, routes, options);

  return function paymentHandler(original: Req, context: Context): Promise<Response> {
    const Class = original.constructor as new (request: Request) => Req;
    return gate(original, (request, payment) =>
      handler(payment ? new Class(request) : original, context, payment),
    );
  };
}
