import type { GateObserver, Phase, RequestEvent } from "../gate/observe.ts";
import { FAILED, type OtelApi, type OtelSpan } from "./otel-types.ts";
import { given, spanMetadata } from "./span-metadata.ts";

/** Settings of `createTracing`. */
export type TracingOptions = {
  /** Default: whether the variable `TURNPIKE_TRACING` is `true`. */
  isEnabled?: boolean;
};

/**
 * An observer that writes each gated request as a separate trace (§6): `svc:x402-request` with
 * `svc:verify` and `svc:settlement` inside. The agent's work is not inside it: its trace stays a sibling.
 * A failed verification fails the request's span too; a settlement that failed after a 2xx answer fails
 * only its own span. Off unless `TURNPIKE_TRACING=true`.
 *
 * @example
 * import * as opentelemetry from "@opentelemetry/api";
 * createGate(payments, routes, { observe: createTracing(opentelemetry) });
 */
export function createTracing<Context, Span extends OtelSpan>(
  api: OtelApi<Context, Span>,
  { isEnabled = isSwitchedOn() }: TracingOptions = {},
): GateObserver {
  if (!isEnabled) return () => {};
  const tracer = api.trace.getTracer("@turnpike/payments");

  return (event) => {
    if (event.type !== "request") return;
    const metadata = spanMetadata(event);
    const { method, path, route, httpStatus, moneyStatus, verify, settle, reason } = event;
    const about = given({
      "http.request.method": method,
      "http.route": route,
      "url.path": path,
      "http.response.status_code": httpStatus,
      "svc.money_status": moneyStatus,
    });
    const request = tracer.startSpan(
      "svc:x402-request",
      { root: true, startTime: event.startedAt, attributes: { ...about, ...metadata } },
      api.ROOT_CONTEXT,
    );
    const inside = api.trace.setSpan(api.ROOT_CONTEXT, request);
    const addPart = (name: string, phase: Phase, failure: string | undefined) => {
      const { startedAt: startTime } = phase;
      const part = tracer.startSpan(name, { startTime, attributes: metadata }, inside);
      if (failure !== undefined) part.setStatus({ code: FAILED, message: failure });
      part.end(endOf(phase));
    };
    if (verify) addPart("svc:verify", verify, verify.isValid ? undefined : (reason ?? "refused"));
    if (settle) {
      const { settlement } = settle;
      const failure = settlement.success ? undefined : settlement.errorReason;
      addPart("svc:settlement", settle, failure);
    }
    if (isFailed(event)) request.setStatus({ code: FAILED, message: reason ?? moneyStatus });
    request.end(endOf(event));
  };
}

/** Whether the caller did not get the agent's answer: payment required, refused, withheld or failed. */
const isFailed = ({ moneyStatus, httpStatus, verify }: RequestEvent): boolean =>
  verify?.isValid === false || moneyStatus === "refused" || httpStatus === 402 || httpStatus >= 500;

const endOf = ({ startedAt, durationMs }: Phase) => startedAt + durationMs;

type Process = { env?: Record<string, string | undefined> };

// Some runtimes have no `process.env`.
const isSwitchedOn = () =>
  (globalThis as { process?: Process }).process?.env?.TURNPIKE_TRACING === "true";
