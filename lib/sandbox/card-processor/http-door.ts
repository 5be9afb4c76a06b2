import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import {
  type Answered,
  type Asked,
  answerRequest,
  type Desk,
  failureAnswer,
  INTERNAL,
  KEY_IN_USE,
  RATE_LIMITED,
} from "./answer-request.ts";
import type { createFaults, Fault } from "./faults.ts";
import { parseForm } from "./form-body.ts";
import { invalid } from "./stripe-failure.ts";

const MAX_BODY_BYTES = 256 * 1024;

/** Pages may ask with the publishable key from their own origin. */
const CORS = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "GET, POST, OPTIONS",
  "access-control-allow-headers": "authorization, content-type, idempotency-key, stripe-version",
};

/** The processor's HTTP: reads a request, meets its fault if one waits, answers, then lets events go out. */
export function createDoor(
  desk: Desk,
  faults: Pick<ReturnType<typeof createFaults>, "take">,
  answered: () => void,
  holder: (asked: Asked) => Answered | null = () => null,
): Server {
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
    const asked = askedOf(request, body);
    const toHolder = holder(asked);
    if (toHolder) {
      send(response, toHolder);
      return;
    }
    const fault = faults.take(asked.method, asked.path);
    const key = asked.method === "POST" ? asked.idempotencyKey : null;
    if (key !== null && inProgress.has(key)) {
      send(response, failureAnswer(KEY_IN_USE));
      return;
    }
    if (key !== null) inProgress.add(key);
    try {
      const answer = await meet(fault, asked, response);
      if (answer && !response.destroyed) send(response, answer);
    } finally {
      if (key !== null) inProgress.delete(key);
    }
  }

  /** What comes of a request under a fault; null when it gets no answer. */
  async function meet(
    fault: Fault | null,
    asked: Asked,
    response: ServerResponse,
  ): Promise<Answered | null> {
    if (fault?.kind === "lose-request") {
      response.destroy();
      return null;
    }
    if (fault?.kind === "error-before") return failureAnswer(INTERNAL);
    if (fault?.kind === "rate-limit") return failureAnswer(RATE_LIMITED);
    if (fault?.kind === "delay") await new Promise((wake) => setTimeout(wake, fault.ms ?? 100));
    const answer = answerRequest(desk, asked, fault?.kind === "error-after");
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

function send(response: ServerResponse, { status, body, headers }: Answered): void {
  response.writeHead(status, { "content-type": "application/json", ...CORS, ...headers });
  response.end(body);
}

function askedOf(request: IncomingMessage, body: string): Asked {
  const url = new URL(request.url ?? "/", "http://processor");
  const idempotencyKey = request.headers["idempotency-key"];
  return {
    method: request.method ?? "GET",
    path: url.pathname,
    query: url.search.slice(1),
    body,
    key: keyOf(request, url.search.slice(1), body),
    idempotencyKey: typeof idempotencyKey === "string" ? idempotencyKey : null,
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

/** The body as text, or null when it is more than any request needs. */
async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  return size > MAX_BODY_BYTES ? null : Buffer.concat(chunks).toString("utf8");
}
