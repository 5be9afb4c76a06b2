import type { Payments } from "../client/payments.ts";
import type { GateOptions } from "./gate-options.ts";
import { createHttpCall, type HttpAnswer, type Work } from "./http-call.ts";
import { type Delivery, toResponse } from "./http-response.ts";
import { createPaidCalls } from "./paid-calls.ts";
import type { RouteMap } from "./routes.ts";

/** A gate: answers a request by running the work, or by asking for payment instead. */
export type Gate = (request: Request, work: Work, delivery?: Delivery) => Promise<Response>;

/**
 * A gate in front of an agent (§3): verify, work, settle, within one request. Runs wherever
 * `Request` and `Response` exist. Throws `invalid_input` for routes it could not guard.
 *
 * @example
 * const gate = createGate(payments, { "POST /ask": { planId, credits: 2 } });
 * const response = await gate(request, async (request, payment) => Response.json(await answer(request)));
 */
export function createGate(payments: Payments, routes: RouteMap, options: GateOptions = {}): Gate {
  const { buffer, ...rest } = options;
  const runPaidCall = createPaidCalls(payments, routes, {
    ...rest,
    isDelivered: ({ response }: HttpAnswer) => response.ok,
  });

  return async function gate(request, work, delivery = {}) {
    const call = createHttpCall(request, work, { ...delivery, buffer });
    const outcome = await runPaidCall(call);
    return outcome.kind === "not-gated" ? work(request) : toResponse(outcome, delivery);
  };
}
