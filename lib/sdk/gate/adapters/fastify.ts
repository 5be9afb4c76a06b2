import type { Payments } from "../../client/payments.ts";
import type { GateOptions } from "../gate-options.ts";
import type { RouteMap } from "../routes.ts";
import type { HeaderList } from "./headers-before.ts";
import { createNodeGate } from "./node-gate.ts";
import type { NodeRequest, NodeResponse } from "./node-types.ts";

/** The parts of a Fastify request and reply that the hook uses. */
export type FastifyLikeRequest = { raw: NodeRequest };
/** The parts of a Fastify reply that the hook uses: its headers, and that it sends none itself. */
export type FastifyLikeReply = {
  raw: NodeResponse;
  getHeaders(): HeaderList;
  hijack(): unknown;
};

/**
 * The gate as a Fastify hook: `app.addHook("onRequest", createFastifyHook(payments, routes))`. The
 * work finds its payment at `request.payment`.
 */
export function createFastifyHook(payments: Payments, routes: RouteMap, options?: GateOptions) {
  const gate = createNodeGate(payments, routes, options);

  return function paymentHook(
    request: FastifyLikeRequest,
    reply: FastifyLikeReply,
    done: (error?: Error) => void,
  ): void {
    gate({
      incoming: request.raw,
      outgoing: reply.raw,
      next: (payment) => {
        if (payment) Object.assign(request, { payment });
        done();
      },
      takeOver: () => reply.hijack(),
      headersBefore: () => reply.getHeaders(),
    }).catch(done);
  };
}
