import type { Payments } from "../../client/payments.ts";
import type { GateOptions } from "../gate-options.ts";
import { refusalResponse } from "../http-response.ts";
import { logFailures } from "../logger.ts";
import type { Payment } from "../payment.ts";
import { workFailed } from "../refusals.ts";
import type { RouteMap } from "../routes.ts";
import { breakOff } from "./capture-response.ts";
import { createNodeGate } from "./node-gate.ts";
import type { NodeRequest, NodeResponse } from "./node-types.ts";
import { writeResponse } from "./write-response.ts";

/**
 * The gate around a listener of Node's `http` server. The listener gets its payment as a third argument
 * and may be async; if it throws, the response is 500.
 *
 * @example createServer(createNodeListener(payments, routes, (req, res, payment) => res.end("hello")))
 */
export function createNodeListener<Req extends NodeRequest, Res extends NodeResponse>(
  payments: Payments,
  routes: RouteMap,
  listener: (incoming: Req, outgoing: Res, payment?: Payment) => unknown,
  options: GateOptions = {},
) {
  const gate = createNodeGate(payments, routes, options);
  const onError = logFailures(options.logger);

  return async function paymentListener(incoming: Req, outgoing: Res): Promise<void> {
    const next = (payment?: Payment) => listener(incoming, outgoing, payment);
    try {
      await gate({ incoming, outgoing, next, onError });
    } catch (error) {
      // Where nothing is gated.
      onError(error);
      if (outgoing.headersSent) breakOff(outgoing, error as Error);
      else await writeResponse(outgoing, outgoing, refusalResponse(workFailed()));
    }
  };
}
