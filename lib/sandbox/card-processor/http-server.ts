import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import {
  type ApiRequest,
  type ApiResponse,
  answerRequest,
  breakRequest,
  failureAnswer,
  INTERNAL,
  KEY_IN_USE,
  type ProcessorParts,
  RATE_LIMITED,
} from "./answer-request.ts";
import type { createFaults, Fault } from "./faults.ts";
import { parseForm } from "./form-body.ts";
import { invalid } from "./stripe-failure.ts";

const MAX_BODY_BYTES = 256 * 1024;

/** Pages use the publishable key from their own origin. */
const CORS = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "GET, POST, OPTIONS",
  "access-control-allow-headers": "authorization, content-type, idempotency-key, stripe-version",
};

type ServerParts = {
  parts: ProcessorParts;
  faults: Pick<ReturnType<typeof createFaults>, "take">;
  answered: () => void;
  /** The cardholder's page; null for other paths. */
  holder?: (call: ApiRequest) => ApiResponse | null;
};

/** The processor's HTTP server: reads a request, applies its fault if one is waiting, and answers. */
export function createProcessorServer({ parts, faults, answered, holder }: ServerParts): Server {
  const inProgress = new Set<string>();

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request);
    if (request.method === "OPTIONS") {
      response.writeHead(204, CORS).end();
      return;
    }
    if (body === null) {
      send(response, failureAnswer(invalid("The request body is too large.")));
      return;
    }
    const call = readCall(request, body);
    const holderPage = holder?.(call);
    if (holderPage) {
      send(response, holderPage);
      return;
    }
    const fault = faults.take(call.method, call.path);
    const key = call.method === "POST" ? call.idempotencyKey : null;
    if (key !== null && inProgress.has(key)) {
      send(response, failureAnswer(KEY_IN_USE));
      return;
    }
    if (key !== null) inProgress.add(key);
    try {
      const answer = await answerUnder(fault, call, response);
      if (answer && !response.destroyed) send(response, answer);
    } finally {
      if (key !== null) inProgress.delete(key);
    }
  }

  /** Answers a request under its fault; null when it gets no answer. */
  async function answerUnder(
    fault: Fault | null,
    call: ApiRequest,
    response: ServerResponse,
  ): Promise<ApiResponse | null> {
    if (fault?.kind === "lose-request") {
      response.destroy();
      return null;
    }
    if (fault?.kind === "error-before") return failureAnswer(INTERNAL);
    if (fault?.kind === "error-kept") return breakRequest(parts, call);
    if (fault?.kind === "rate-limit") return failureAnswer(RATE_LIMITED);
    if (fault?.kind === "delay") {
      await (fault.until ?? new Promise((wake) => setTimeout(wake, fault.ms ?? 100)));
    }
    const answer = answerRequest(parts, call, fault?.kind === "error-after");
    answered();
    if (fault?.kind !== "lose-reply") return answer;
    response.destroy();
    return null;
  }

  return createServer((request, response) => {
    serve(request, response).catch(() => {
      if (!response.destroyed) send(response, failureAnswer(INTERNAL));
    });
  });
}

function send(response: ServerResponse, { status, body, headers }: ApiResponse): void {
  response.writeHead(status, { "content-type": "application/json", ...CORS, ...headers });
  response.end(body);
}

function readCall(request: IncomingMessage, body: string): ApiRequest {
  const url = new URL(request.url ?? "/", "http://processor");
  const idempotencyKey = request.headers["idempotency-key"];
  const account = request.headers["stripe-account"];
  return {
    method: request.method ?? "GET",
    path: url.pathname,
    query: url.search.slice(1),
    body,
    key: keyOf(request, url.search.slice(1), body),
    idempotencyKey: typeof idempotencyKey === "string" ? idempotencyKey : null,
    account: typeof account === "string" ? account : null,
    origin: `http://${request.headers.host ?? "127.0.0.1"}`,
  };
}

/** The API key as Bearer, as the user name of Basic, or, as pages send it, as the parameter `key`. */
function keyOf({ headers }: IncomingMessage, query: string, body: string): string {
  const [scheme = "", value = ""] = (headers.authorization ?? "").split(" ");
  if (/^bearer$/i.test(scheme)) return value;
  if (/^basic$/i.test(scheme)) return Buffer.from(value, "base64").toString().split(":")[0] ?? "";
  try {
    const { key } = parseForm(body || query);
    return typeof key === "string" ? key : "";
  } catch {
    return "";
  }
}

/** The body as text, or null when it is too large. */
async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  return size > MAX_BODY_BYTES ? null : Buffer.concat(chunks).toString("utf8");
}
