import "server-only";
import { StatementDocument } from "@/lib/domain/money/statements.ts";
import type { Log, Ports } from "@/lib/domain/ports.ts";
import { downloadResponse } from "../documents/download.ts";
import { statementDownload } from "../documents/statement-files.ts";
import { brokenStream, isLostReply } from "../pipeline/apply-fault.ts";
import { readKeyHash } from "../pipeline/authenticate.ts";
import { describeError } from "../pipeline/error-answer.ts";
import type { Pipeline } from "../pipeline/perform.ts";
import { answerText } from "../pipeline/public-reads.ts";
import { invalid, readBody } from "../pipeline/read-input.ts";
import type { ServedOperation } from "../pipeline/served-operations.ts";

export type Route = [ServedOperation, ...ServedOperation[]];

/** A request for an operation, whatever HTTP server read it. */
export type OperationRequest = {
  header: (name: string) => string | undefined;
  address: string;
  /** What path and query say, the path's members last. */
  members: () => Record<string, unknown>;
  /** The body's text where the method has one. Throws `payload_too_large` and `invalid_input`. */
  text?: (limit: { maxBytes: number; log: Log }) => Promise<string>;
};

/** What is answered: a text, or a response that is made while it is read. */
export type OperationAnswer =
  | {
      status: number;
      headers: Record<string, string>;
      text: string | null;
      /** The text as it is sent, where it is kept. */
      bytes?: Uint8Array<ArrayBuffer>;
    }
  | Response;

/** Runs the operation of a route and words its answer, also that of an error. */
export async function answerOperation(
  {
    ports,
    pipeline,
  }: { ports: Pick<Ports, "environment" | "crypto" | "log" | "origin">; pipeline: Pipeline },
  route: Route,
  request: OperationRequest,
): Promise<OperationAnswer> {
  const requestId = crypto.randomUUID();
  const headers: Record<string, string> = {
    "content-type": "application/json",
    "cache-control": "no-store",
    "x-request-id": requestId,
  };
  try {
    const authorization = request.header("authorization");
    const keyHash = readKeyHash(ports, authorization);
    const answer = await pipeline.perform({
      operation: route[0],
      credentials: keyHash === null ? null : { keyHash },
      address: request.address,
      requestId,
      async read() {
        const input = await readInput(request, { route, log: ports.log });
        return { operation: choose(route, input), input };
      },
    });
    if (StatementDocument.is(answer)) return downloadResponse(statementDownload(answer, "program"));
    const { text, kept } = answerText(answer);
    if (kept && authorization === undefined) {
      headers["cache-control"] = `public, max-age=${kept.secs}`;
      headers.etag = kept.etag;
      if (isNamed(kept.etag, request.header("if-none-match")))
        return { status: 304, headers, text: null };
    }
    return { status: 200, headers, text, ...(kept && { bytes: kept.bytes }) };
  } catch (cause) {
    return isLostReply(cause)
      ? new Response(brokenStream(cause), { headers })
      : describeError(cause, requestId, ports);
  }
}

/** Whether a client has this answer: proxies that compress weaken the tags they pass on (RFC 9110, 13.1.2). */
const isNamed = (etag: string, ifNoneMatch: string | undefined): boolean =>
  (ifNoneMatch ?? "")
    .split(",")
    .map((tag) => tag.trim().replace(/^W\//, ""))
    .some((tag) => tag === etag || tag === "*");

/** Body, query and path members as one input; the path wins. */
async function readInput(
  { header, members, text }: OperationRequest,
  { route, log }: { route: Route; log: Log },
): Promise<Record<string, unknown>> {
  const maxBytes = maxInputOf(route);
  const idempotencyKey = route.some(takesKey) ? header("idempotency-key") : undefined;
  const input = {
    ...(text && readBody(await text({ maxBytes, log }), maxBytes)),
    ...members(),
  };
  const other = input.idempotencyKey ?? idempotencyKey;
  if (idempotencyKey !== undefined && other !== idempotencyKey)
    throw invalid("idempotencyKey", "Differs from the Idempotency-Key header. Send one of them.");
  return {
    ...input,
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  };
}

/** Clients may send a key with every call. */
const takesKey = ({ row: { input } }: ServedOperation): boolean =>
  !("shape" in input) || "idempotencyKey" in Object(input.shape);

/** The most that the body of a route may have, in bytes. */
export const maxInputOf = (route: Route): number =>
  Math.max(...route.map(({ row }) => row.maxInput));

/** Of operations with one method and path, the one whose `when` matches the input. */
const choose = (route: Route, input: Record<string, unknown>): ServedOperation =>
  route.find(
    ({ row }) =>
      row.when && Object.entries(row.when).every(([name, value]) => input[name] === value),
  ) ??
  route.find(({ row }) => !row.when) ??
  route[0];

export function groupByRoute({ operations }: Pipeline): Route[] {
  const routes = new Map<string, Route>();
  for (const operation of operations) {
    const key = `${operation.row.method} ${operation.row.path}`;
    const route = routes.get(key);
    if (route) route.push(operation);
    else routes.set(key, [operation]);
  }
  return [...routes.values()];
}
