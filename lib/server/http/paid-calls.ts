import "server-only";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import type { Log, Ports } from "@/lib/domain/ports.ts";
import type { Pipeline } from "../pipeline/perform.ts";
import { cutOff } from "../pipeline/read-input.ts";
import {
  answerOperation,
  groupByRoute,
  maxInputOf,
  type OperationAnswer,
  type Route,
} from "./answer-operation.ts";
import { EXPOSED_HEADERS } from "./api.ts";
import { API_HEADERS, hsts } from "./http-server.ts";

/** Answers a request if it is a paid call; false leaves it to the API. */
export type PaidCalls = (
  request: IncomingMessage,
  response: ServerResponse,
  address: string,
) => boolean;

const METHOD = "POST";
/** Alternating names and values: gathering them in an object costs a fifth of the HTTP server's time. */
const commonHeaders = (origin: string): readonly string[] =>
  Object.entries({
    ...API_HEADERS,
    ...hsts(origin),
    "access-control-allow-origin": "*",
    "access-control-expose-headers": EXPOSED_HEADERS.join(","),
  }).flat();
const decoder = new TextDecoder();

/**
 * Answers verify and settle straight from the HTTP server: for them, making the web's `Request` and `Response` would
 * cost more than the decision. Everything else, also a preflight, is the API's, which answers these calls alike.
 *
 * @example createHttpServer({ api, webhooks, paidCalls: createPaidCalls({ ports, pipeline }) }, null);
 */
export function createPaidCalls(from: {
  ports: Pick<Ports, "environment" | "crypto" | "log" | "origin">;
  pipeline: Pipeline;
}): PaidCalls {
  const common = commonHeaders(from.ports.origin);
  const routes = new Map<string, Route>();
  for (const route of groupByRoute(from.pipeline)) {
    const [{ row }] = route;
    if (row.audience !== "protocol" || row.method !== METHOD || row.lane === "api") continue;
    for (const path of [row.path, row.formerPath]) if (path) routes.set(`/api/v1${path}`, route);
  }
  return (request, response, address) => {
    const route = request.method === METHOD ? routes.get(request.url ?? "") : undefined;
    // A body whose length is not known, or too much, is counted while it is read: by the API.
    if (!route || !(Number(request.headers["content-length"]) <= maxInputOf(route))) return false;
    void answerOperation(from, route, {
      header: (name) => headerOf(request, name),
      address,
      members: () => ({}),
      text: ({ log }) => readText(request, log),
    }).then((answer) => send(response, answer, common));
    return true;
  };
}

/** One text, as the web's `Headers` give it. */
function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(", ") : value;
}

async function send(
  response: ServerResponse,
  answer: OperationAnswer,
  common: readonly string[],
): Promise<void> {
  if (answer instanceof Response) {
    response.writeHead(answer.status, [...common, ...[...answer.headers].flat()]);
    // A sandbox fault breaks it off.
    await pipeline(Readable.fromWeb(answer.body as ReadableStream), response).catch(() => {});
    return;
  }
  const { status, headers, text } = answer;
  const length = text === null ? 0 : Buffer.byteLength(text);
  // Without it the body is sent in chunks, each with a separate write.
  const own = Object.entries(headers).flat();
  response.writeHead(status, [...common, ...own, "content-length", String(length)]).end(text);
}

/** The body as text: no more than the length that the request declares is read. */
function readText(request: IncomingMessage, log: Log): Promise<string> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    const leave = () => reject(cutOff(request.errored ?? "closed", log));
    // The client left while its key was looked up: no event follows.
    if (request.destroyed) return leave();
    request
      .on("data", (part: Buffer) => parts.push(part))
      .once("end", () => resolve(decoder.decode(Buffer.concat(parts))))
      .once("error", leave);
  });
}
