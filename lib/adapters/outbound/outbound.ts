import type { Socket } from "node:net";
import { Client, type Dispatcher } from "undici";
import type { Outbound, OutboundEvent, OutboundRequest } from "@/lib/domain/outbound-ports.ts";
import { ownAddresses } from "./check-address.ts";
import { checkAddresses, type OutboundPolicy, readTarget, type Target } from "./check-url.ts";
import { cleanHeaders } from "./clean-headers.ts";
import { startDeadline } from "./deadline.ts";
import {
  addressesOf,
  type Connect,
  connectByTcp,
  openSocket,
  type Resolve,
  resolveByDns,
} from "./open-socket.ts";
import { fail, OutboundFault, refuse } from "./outbound-fault.ts";
import { type Reading, readAnswer } from "./read-answer.ts";
import { takeTurns } from "./take-turns.ts";

const KIB = 1024;
export const OUTBOUND_LIMITS = {
  connectMs: 5_000,
  headersMs: 10_000,
  idleMs: 30_000,
  totalMs: 60_000,
  maxTotalMs: 300_000,
  requestBytes: KIB * KIB,
  answerBytes: 5 * KIB * KIB,
  headerBytes: 64 * KIB,
  inFlight: 5,
  turnMs: 30_000,
};

export type OutboundOptions = {
  policy: OutboundPolicy;
  userAgent: string;
  limits?: Partial<typeof OUTBOUND_LIMITS>;
  /** For tests: the resolver and the connector. */
  resolve?: Resolve;
  connect?: Connect;
};

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** The state of one request. */
type Sending = Reading & {
  target: Target;
  method: string;
  headers: Record<string, string>;
  body: Uint8Array | null;
  limits: typeof OUTBOUND_LIMITS;
};

/** The guarded outbound client: `Outbound` of `lib/domain/outbound-ports.ts`. */
export function createOutbound(options: OutboundOptions): Outbound {
  const { policy, userAgent, resolve = resolveByDns, connect = connectByTcp } = options;
  const limits = { ...OUTBOUND_LIMITS, ...options.limits };
  const turns = takeTurns(limits.inFlight, limits.turnMs);

  async function* run(request: OutboundRequest): AsyncGenerator<OutboundEvent, void> {
    const target = readTarget(request.url, policy);
    const method = request.method.toUpperCase();
    if (!METHODS.includes(method)) {
      throw refuse("method_refused", `The method ${method.slice(0, 16)} is not allowed.`);
    }
    const { headers, leftOut } = cleanHeaders(request.headers ?? {}, request.authorization);
    const body = request.body === undefined ? null : new TextEncoder().encode(request.body);
    if (body && body.byteLength > limits.requestBytes) {
      throw refuse("request_too_large", "The request is larger than 1 MiB.");
    }
    const giveBack = await turns.take(request.account, request.signal);
    const start = performance.now();
    const totalMs = Math.min(request.totalMs ?? limits.totalMs, limits.maxTotalMs);
    const deadline = startDeadline(totalMs, request.signal, {
      late: () => fail("total_timeout", `No complete response within ${totalMs / 1000} s.`),
      gone: () => fail("aborted", "You stopped the request."),
    });
    let socket: Socket | undefined;
    // Release the slot and the connection when the reader stops.
    const letGo = () => {
      giveBack();
      socket?.destroy();
    };
    deadline.signal.addEventListener("abort", letGo, { once: true });
    let client: Client | undefined;
    try {
      const ms = () => Math.round(performance.now() - start);
      const { connectMs } = limits;
      const late = () =>
        fail("connect_timeout", `${target.host} did not connect within ${connectMs / 1000} s.`);
      const addresses = await deadline.within(connectMs, addressesOf(target, resolve), late);
      checkAddresses(target, addresses, policy, ownAddresses());
      yield { type: "dns", host: target.host, addresses, ms: ms() };

      const opened = openSocket(target, addresses, connect, deadline.signal);
      // Discard a connection that opens too late.
      opened.then(
        (late) => deadline.signal.aborted && late.socket.destroy(),
        () => {},
      );
      const open = await deadline.within(Math.max(1, connectMs - ms()), opened, () => {
        const fault = late();
        deadline.end(fault);
        return fault;
      });
      socket = open.socket;
      const { port, isSecure } = target;
      yield { type: "connect", address: open.address, port, isSecure, ms: ms() };
      client = clientOn(target, open.socket, limits.headerBytes);
      const maxBytes = Math.min(request.maxBytes ?? limits.answerBytes, limits.answerBytes);
      const own = { ...headers, "user-agent": userAgent, "accept-encoding": "gzip, deflate, br" };
      const waits = waitsOf(limits, request);
      const sending = { target, method, headers: own, body, deadline, limits: waits, maxBytes, ms };
      yield* exchange(sending, client, leftOut);
    } finally {
      deadline.close();
      giveBack();
      client?.destroy().catch(() => {});
      socket?.destroy();
    }
  }

  return {
    async *send(request) {
      const start = performance.now();
      try {
        yield* run(request);
      } catch (cause) {
        const { fault } = cause instanceof OutboundFault ? cause : explain(cause);
        yield { ...fault, ms: Math.round(performance.now() - start) };
      }
    },
  };
}

/** The limits of one request: its caller may let the agent be silent for longer, or less. */
const waitsOf = (limits: typeof OUTBOUND_LIMITS, { silentMs }: OutboundRequest) =>
  silentMs === undefined ? limits : { ...limits, headersMs: silentMs, idleMs: silentMs };

/** HTTP over the checked connection; it cannot open another one. */
function clientOn(target: Target, socket: Socket, maxHeaderSize: number): Client {
  let isTaken = false;
  return new Client(target.url.origin, {
    maxHeaderSize,
    // `deadline.ts` handles every timeout.
    headersTimeout: 0,
    bodyTimeout: 0,
    pipelining: 1,
    // The client expects the connection asynchronously.
    connect: (_place, done) => {
      if (isTaken) queueMicrotask(() => done(new Error("The connection was closed."), null));
      else queueMicrotask(() => done(null, socket));
      isTaken = true;
    },
  });
}

async function* exchange(
  sending: Sending,
  client: Client,
  leftOut: string[],
): AsyncGenerator<OutboundEvent, void> {
  const { target, method, headers, body, deadline, limits, ms } = sending;
  const answer = client.request({
    method: method as Dispatcher.HttpMethod,
    path: target.url.pathname + target.url.search,
    headers,
    body,
    signal: deadline.signal,
    responseHeaders: "raw",
  });
  answer.catch(() => {});
  yield { type: "sent", bytes: body?.byteLength ?? 0, leftOut, ms: ms() };
  const late = () =>
    fail("headers_timeout", `The agent did not respond within ${limits.headersMs / 1000} s.`);
  const response = await deadline.within(limits.headersMs, answer, late);
  const pairs = pairsOf(response.headers as unknown as string[]);
  yield { type: "headers", status: response.statusCode, headers: pairs, ms: ms() };
  // Such an answer names the encoding of a body that it does not have.
  const isEmpty = method === "HEAD" || [204, 304].includes(response.statusCode);
  yield* readAnswer(sending, response.body, isEmpty ? [] : pairs);
}

/** The fault between connecting and the response headers. */
function explain(cause: unknown): OutboundFault {
  const { code, name, message }: Partial<NodeJS.ErrnoException> =
    cause instanceof Error ? cause : {};
  if (code === "UND_ERR_HEADERS_OVERFLOW") {
    return fail("headers_too_large", "The response headers are larger than 64 KiB.");
  }
  if (name === "HTTPParserError" || code === "UND_ERR_RES_CONTENT_LENGTH_MISMATCH") {
    return fail("answer_malformed", `The response is not valid HTTP: ${message}.`);
  }
  return fail("broken_off", "The agent closed the connection without a response.");
}

/** Raw headers as pairs with lower-case names. */
function pairsOf(raw: readonly string[]): [string, string][] {
  const pairs: [string, string][] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    pairs.push([String(raw[at]).toLowerCase(), String(raw[at + 1])]);
  }
  return pairs;
}
