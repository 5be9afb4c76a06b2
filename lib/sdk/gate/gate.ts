import type { Payments } from "../client/payments.ts";
import { pathOf } from "../protocol/match-route.ts";
import type { Delivery } from "./delivery.ts";
import type { GateOptions } from "./gate-options.ts";
import { createHttpCall, type HttpAnswer, publicUrlOf, type Work } from "./http-call.ts";
import { toResponse } from "./http-response.ts";
import { createPaidCalls } from "./paid-calls.ts";
import type { RouteMap } from "./routes.ts";

/** A gate: answers a request by running the work, or by asking for payment instead. */
export type Gate = (request: Request, work: Work, delivery?: Delivery) => Promise<Response>;

/**
 * A gate in front of an agent (§3): verify, work, settle, within one request. Runs wherever
 * `Request` and `Response` exist. Describes the routes at `/openapi.json` where the work answers 404 there. Throws `invalid_input` for routes it could not guard.
 *
 * @example
 * const gate = createGate(payments, { "POST /ask": { planId, credits: 2 } });
 * const response = await gate(request, async (request, payment) => Response.json(await answer(request)));
 */
export function createGate(payments: Payments, routes: RouteMap, options: GateOptions = {}): Gate {
  const { buffer, maxBodyBytes } = options;
  const publicUrl = publicUrlOf(options);
  const runPaidCall = createPaidCalls(payments, routes, {
    ...options,
    isDelivered: ({ response }: HttpAnswer) => response.ok,
  });

  return async function gate(request, work, delivery = {}) {
    const answering = options.settle === "before" && !delivery.onError ? withThrown(work) : work;
    const call = createHttpCall(request, answering, {
      buffer,
      maxBodyBytes,
      publicUrl,
      ...delivery,
    });
    const outcome = await runPaidCall(call);
    if (outcome.kind !== "not-gated") return toResponse(outcome, delivery, options.logger);
    const response = await work(request);
    if (!asksForDefinition(request)) return response;
    const { describeGate } = await import("./app/describe-gate.ts");
    return describeGate(publicUrl ?? new URL(request.url).origin, response, routes);
  };
}

/** Work that is paid before it runs: to an answer that it throws, its framework could not add the receipt. */
const withThrown =
  (work: Work): Work =>
  async (...given) => {
    try {
      return await work(...given);
    } catch (error) {
      return (await import("./thrown-answer.ts")).answerThrown(error);
    }
  };

/** Whether a request is for an agent's definition (§2.8), which the gate answers where the app has none. */
export const asksForDefinition = ({ method, url }: Pick<Request, "method" | "url">): boolean =>
  method === "GET" && pathOf(url) === "/openapi.json";
