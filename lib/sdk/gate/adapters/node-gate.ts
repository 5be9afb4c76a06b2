import type { Payments } from "../../client/payments.ts";
import type { Delivery } from "../delivery.ts";
import { ambiguousPath } from "../faults/unsafe-request.ts";
import { asksForDefinition, createGate } from "../gate.ts";
import type { GateOptions } from "../gate-options.ts";
import { refusalResponse } from "../http-response.ts";
import { logFailures } from "../logger.ts";
import type { Payment } from "../payment.ts";
import type { RouteMap } from "../routes.ts";
import { type Captured, captureResponse } from "./capture-response.ts";
import { addHeadersBefore, type HeaderList } from "./headers-before.ts";
import { hideHeaders, toWebRequest } from "./node-request.ts";
import type { NodeRequest, NodeResponse } from "./node-types.ts";
import { priceUnparsed } from "./price-unparsed.ts";
import { writeResponse } from "./write-response.ts";

/** A request to a Node framework, and what the framework does for the gate. */
export type NodeExchange = {
  incoming: NodeRequest;
  outgoing: NodeResponse;
  /** Runs the work, which answers by writing to `outgoing`; with a payment exactly when the route is gated. */
  next(payment?: Payment): unknown;
  /** Called when the gate answers, so that the framework does not. */
  takeOver?(): void;
  /** Called with what gated work throws, where the framework neither answers nor logs it. */
  onError?: Delivery["onError"];
  /** Headers that the framework keeps until it answers. */
  headersBefore?(): HeaderList;
};

/**
 * The gate for frameworks that answer by writing to a Node response. What the work writes is captured,
 * and reaches the client as the gate decides. Rejects with what the work throws while it runs,
 * unless the route is gated and the exchange has `onError`, or it was paid before.
 */
export function createNodeGate(payments: Payments, routes: RouteMap, options?: GateOptions) {
  const gate = createGate(payments, routes, options);

  return async function nodeGate(exchange: NodeExchange): Promise<void> {
    const { incoming, outgoing, next, takeOver, onError } = exchange;
    const before = { ...outgoing.getHeaders(), ...exchange.headersBefore?.() };
    const gone = new AbortController();
    outgoing.once("close", () => {
      if (!outgoing.writableFinished) gone.abort(new Error("The client is gone."));
    });
    const { "accept-encoding": encodings } = incoming.headers;
    const web = toWebRequest(incoming, { signal: gone.signal, ...options });
    if (!web) {
      takeOver?.();
      const refused = refusalResponse(ambiguousPath());
      addHeadersBefore(refused.headers, before);
      return writeResponse(outgoing, outgoing, refused);
    }

    const reported = new Set<unknown>();
    const report = (error: unknown) => {
      // The client is gone, so no one would receive the error.
      if (gone.signal.aborted || reported.has(error)) return;
      reported.add(error);
      (onError ?? logFailures(options?.logger))(error);
    };
    let captured: Captured | undefined;
    let worked: Headers | undefined;
    let isPassedOn = false;
    const work = async (_request: Request, payment?: Payment): Promise<Response> => {
      if (!payment && !asksForDefinition(web.request)) {
        isPassedOn = true;
        await next();
        return new Response(null);
      }
      await web.body.settled();
      if (payment) hideHeaders(incoming);
      const answering = captureResponse(outgoing, !!payment && options?.settle === "before");
      captured = answering;
      Promise.resolve()
        .then(() => next(payment))
        .catch((error) => {
          // Of an answer that has begun the gate learns only that it broke off.
          if (outgoing.headersSent) report(error);
          answering.fail(error);
        });
      const answer = await answering.answer;
      worked = new Headers(answer.headers);
      return answer;
    };
    try {
      const response = await gate(web.request, work, {
        path: web.path,
        isBodyParsed: web.body.isParsed,
        price: (copy, credits) => priceUnparsed(copy, credits, web.body),
        ...(onError && { onError: report }),
        onRefusal: () => {
          if (captured) captured.output.trailers = null;
        },
        // HTTP/1.0 has no trailers.
        ...(incoming.httpVersion !== "1.0" && {
          addTrailers: (trailers: Record<string, string>) => outgoing.addTrailers(trailers),
        }),
      });
      if (isPassedOn) return;
      if (!captured) takeOver?.();
      captured?.close();
      // Middleware before the gate may compress what leaves it.
      if (encodings) incoming.headers["accept-encoding"] = encodings;
      addHeadersBefore(response.headers, before, worked);
      await writeResponse(outgoing, captured?.output ?? outgoing, response, report);
    } catch (error) {
      // The client is gone, so no one would receive the error.
      if (gone.signal.aborted && captured) return;
      captured?.restore();
      throw error;
    }
  };
}
