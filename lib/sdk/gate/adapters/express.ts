import type { Payments } from "../../client/payments.ts";
import type { GateOptions } from "../gate-options.ts";
import type { RouteMap } from "../routes.ts";
import { createNodeGate } from "./node-gate.ts";
import type { NodeRequest, NodeResponse } from "./node-types.ts";

/**
 * The gate as an Express middleware: `app.use(createExpressMiddleware(payments, routes))`, before the
 * routes it guards. Inside a mounted router the routes' paths are the router's own. The work finds
 * its payment at `req.payment`.
 */
export function createExpressMiddleware(
  payments: Payments,
  routes: RouteMap,
  options?: GateOptions,
) {
  const gate = createNodeGate(payments, routes, options);

  return function paymentMiddleware(
    incoming: NodeRequest,
    outgoing: NodeResponse,
    next: (error?: unknown) => void,
  ): void {
    gate({
      incoming,
      outgoing,
      next: (payment) => {
        if (payment) Object.assign(incoming, { payment });
        next();
      },
    }).catch(next);
  };
}
