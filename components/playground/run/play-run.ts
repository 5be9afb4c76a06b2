import { ErrorEnvelope } from "@turnpike/payments/protocol";
import { type EngineOptions, runPlayground } from "@/lib/playground/engine.ts";
import type { Fault } from "@/lib/playground/exact-faults.ts";
import type { Exchange, PlainRequest, SendEvent } from "@/lib/playground/exchange.ts";
import type { Transport } from "@/lib/playground/ports.ts";
import { runExactFault } from "@/lib/playground/run-exact-fault.ts";
import { type LabOptions, runFault } from "@/lib/playground/run-fault.ts";
import { readJsonLines } from "@/lib/text/json-lines.ts";
import type { RequestDraft } from "../request/request-draft.ts";
import { browserTransport } from "./browser-transport.ts";
import { createLabService, type LabActions } from "./lab-service.ts";
import type { RunService } from "./session-service.ts";

// Loaded with the first run: only `fetchEngine` may import this file.

export type PlayOptions = Omit<EngineOptions, "transport" | "service"> & {
  service: RunService;
  from: RequestDraft["from"];
};

/** A run, sent from where the user chose; with both, the server pays. */
export const playRun = ({ from, ...options }: PlayOptions) =>
  runPlayground({
    ...options,
    transport: from === "browser" ? browserTransport : createServerTransport(options.service),
  });

export type PlayFaultOptions = Omit<LabOptions, "lab" | "transport" | "service"> & {
  service: RunService;
  actions: LabActions;
};

export function playFault(fault: Fault, { actions, ...given }: PlayFaultOptions) {
  const options = {
    ...given,
    lab: createLabService(actions),
    transport: patient(createServerTransport(given.service)),
  };
  return "exact" in fault ? runExactFault(fault, options) : runFault(fault, options);
}

const WAIT_MS = 3_000;
/** Longer than the service's one-minute rate limit. */
const MAX_WAITS = 24;

/** Retries while rate limited, since a full lab run makes many requests. A rate-limited request was never sent. */
const patient =
  (transport: Transport): Transport =>
  async (request, options) => {
    const { signal, onProgress } = options;
    for (let waits = 0; ; waits += 1) {
      const exchange = await transport(request, options);
      const { failure } = exchange;
      const mayWait = failure?.kind === "refused" && failure.code === "rate_limited";
      if (!mayWait || waits >= MAX_WAITS || signal.aborted) return exchange;
      onProgress("Rate limit reached. Waiting to continue.");
      await new Promise<void>((done) => {
        const timer = setTimeout(done, WAIT_MS);
        signal.addEventListener("abort", () => {
          clearTimeout(timer);
          done();
        });
      });
    }
  };

/**
 * Sends the request through the service's guard; the response is complete, regardless of CORS. With the request that
 * pays, the service revokes what the run opened, even if this page is closed meanwhile.
 */
const createServerTransport =
  ({ payer, opened }: Pick<RunService, "payer" | "opened">): Transport =>
  async (request, { signal, onProgress, onPartial, limitSecs }) => {
    const isPaid = request.headers.some(([name]) => name === "payment-signature");
    const ends = isPaid ? opened() : null;
    const startedAt = new Date().toISOString();
    const start = performance.now();
    const fail = (kind: "refused" | "failed", code: string, message: string): Exchange => ({
      request,
      answer: null,
      failure: { kind, code, message },
      startedAt,
      durationMs: Math.round(performance.now() - start),
    });
    try {
      const response = await fetch("/playground/send", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({
          ...(request satisfies PlainRequest),
          ...{ payer, limitSecs },
          ...(ends && { ends }),
        }),
        signal,
      });
      if (!response.ok || !response.body) {
        const envelope = ErrorEnvelope.safeParse(await response.json().catch(() => null));
        const { code, message } = envelope.data ?? {
          code: "internal",
          message: "The service gave no reason.",
        };
        return fail("refused", code, message);
      }
      for await (const event of readJsonLines<SendEvent>(response.body)) {
        if (event.type === "progress") onProgress(event.words);
        else if (event.type === "partial") onPartial?.(event.answer);
        // By this browser's clock, as all times that it compares.
        else return { request, ...event.exchange, startedAt };
      }
    } catch {
      if (signal.aborted) return fail("failed", "aborted", "You stopped the run.");
    }
    // The request may have been sent, so its outcome is unknown.
    return fail("failed", "service_lost", "The connection to the service was lost.");
  };
