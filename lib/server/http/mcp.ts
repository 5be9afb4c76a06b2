import "server-only";
import { AsyncLocalStorage } from "node:async_hooks";
import { type ErrorCode, PaymentsError, readJson, X402_HEADERS } from "@turnpike/payments/protocol";
import { LRUCache } from "lru-cache";
import * as z from "zod/mini";
import { requireCaller } from "@/lib/domain/context.ts";
import type { Outbound } from "@/lib/domain/outbound-ports.ts";
import type { Ports } from "@/lib/domain/ports.ts";
import { type Answered, recordExchange, type Unanswered } from "@/lib/probe/exchange.ts";
import {
  answerMcp,
  createClientCache,
  createVerbContext,
  MCP_VERSIONS,
  type VerbContextOptions,
} from "@/lib/sdk/cli/index.ts";
import { atMost } from "../pipeline/at-most.ts";
import { findCaller, readKeyHash } from "../pipeline/authenticate.ts";
import { errorAnswer, readError } from "../pipeline/error-answer.ts";
import type { Pipeline } from "../pipeline/perform.ts";
import { readText } from "../pipeline/read-input.ts";
import type { Served, Work } from "../pipeline/served-operations.ts";

/** A message with the body of one paid call. */
const MAX_BYTES = 512 * 1024;
/** How long an agent that was paid may work. */
const PAID_MS = 300_000;
const CLIENTS_OF_ACCOUNT = 20;

type McpOptions = {
  ports: Pick<Ports, "environment" | "crypto" | "log" | "origin" | "apiKeys" | "clock">;
  pipeline: Pipeline;
  origin: string;
  outbound: Outbound;
  /** The API itself: tools call it as their caller, with the caller's rights and limits. */
  serve: (request: Request, about: { address: string }) => Response | Promise<Response>;
  /** Accounts whose clients are kept. */
  mostAccounts?: number;
};

const work = {
  scope: "calls",
  stepUp: false,
  callerReadBy: "pipeline",
  maxInput: MAX_BYTES,
} as const;

/** Anyone may ask; tools that need an account ask the API with the key of the request. */
const ASKING: Work = {
  ...work,
  access: "public",
  lane: "api",
  input: z.object({ message: z.unknown() }),
};

/**
 * `POST /api/v1/mcp`: the verbs as tools, by MCP's streamable HTTP without sessions: one message, one answer in JSON. Tools
 * reach agents through the guard of outbound requests.
 */
export function createMcpEndpoint({
  ports,
  pipeline,
  origin,
  outbound,
  serve,
  mostAccounts = 1_000,
}: McpOptions) {
  // Of each account apart: one with many keys would displace everyone's.
  const accounts = new LRUCache<string, ReturnType<typeof createClientCache>>(atMost(mostAccounts));
  const clientsOf = (account: string) => {
    const clients = accounts.get(account) ?? createClientCache(CLIENTS_OF_ACCOUNT);
    accounts.set(account, clients);
    return clients;
  };
  const sending = sendThrough(outbound);
  // A client serves its account from wherever it calls, so each request asks which call it belongs to.
  const callers = new AsyncLocalStorage<string>();
  const serveTool: typeof fetch = async (input, init) =>
    serve(new Request(input, init), { address: callers.getStore() ?? "unknown" });
  return async (request: Request, address: string): Promise<Response> => {
    const requestId = crypto.randomUUID();
    try {
      const authorization = request.headers.get("authorization") ?? undefined;
      const keyHash = readKeyHash(ports, authorization);
      const by = { credentials: keyHash === null ? null : { keyHash }, address, requestId };
      const apiKey = authorization?.replace(/^Bearer +/i, "");
      const options: VerbContextOptions = {
        apiKey,
        baseUrl: origin,
        fetch: serveTool,
        async reach(asked) {
          const { method, url, headers, body } = asked;
          const input = {
            ...{ method, url, headers: Object.fromEntries(headers) },
            ...(body && { body: await asked.text() }),
          };
          return (await pipeline.perform({ ...by, operation: sending, input })) as Response;
        },
      };
      const onFault = (error: unknown) => void readError(error, requestId, ports.log);
      const operation: Served = {
        name: "mcp",
        row: ASKING,
        async verb(_context, input) {
          // Clients of unknown keys would displace those of accounts.
          const caller = await findCaller(ports, keyHash).catch(unlessRefused);
          const clients = caller && clientsOf(caller.account);
          const context = createVerbContext({ ...options, ...(clients && { clients }) });
          const { message } = input as { message: unknown };
          const fault = findVersionFault(request, message);
          if (fault) return fault;
          const counted: Served = { name: "mcp", row: ASKING, verb: async () => null };
          const countMessage = () =>
            pipeline.perform({ ...by, operation: counted, input: { message } });
          const given = { ...context, onFault, countMessage };
          return callers.run(address, () => answerMcp(message, given));
        },
      };
      // Read once the caller is counted.
      const read = async () => {
        const text = await readText(request, { maxBytes: MAX_BYTES, log: ports.log });
        const message = readJson(text);
        // `null` is JSON, and no message: the pipeline would take it for a member that is not there.
        return { operation, input: { message: message === null ? {} : message } };
      };
      const answer = await pipeline.perform({ ...by, operation, read });
      const headers = { "cache-control": "no-store", "x-request-id": requestId };
      if (!answer) return new Response(null, { status: 202, headers });
      const isRefused = (answer as { error?: unknown }).error === UNSUPPORTED;
      return Response.json(answer, { headers, status: isRefused ? 400 : 200 });
    } catch (cause) {
      return errorAnswer(cause, requestId, ports);
    }
  };
}

/** No account for a refused key. Without its client, a repeated call would be charged again, so what fails is thrown. */
function unlessRefused(cause: unknown): null {
  if (PaymentsError.is(cause) && [401, 403].includes(cause.httpStatus)) return null;
  throw cause;
}

/** The refusal of a version that is not spoken here. An initialization agrees on another one. */
const UNSUPPORTED = {
  code: -32000,
  message: `This MCP-Protocol-Version is not supported. Send one of ${MCP_VERSIONS.join(", ")}.`,
};

function findVersionFault(request: Request, message: unknown) {
  const version = request.headers.get("mcp-protocol-version");
  if (version === null || MCP_VERSIONS.some((one) => one === version)) return null;
  const isFirst = (message as { method?: unknown } | undefined)?.method === "initialize";
  return isFirst ? null : { jsonrpc: "2.0", id: null, error: UNSUPPORTED };
}

const Sent = z.object({
  method: z.string(),
  url: z.string(),
  headers: z.record(z.string(), z.string()),
  body: z.optional(z.string()),
});

/** A request to an agent: for keys that may pay for it, and counted as the caller's other outbound requests are. */
const sendThrough = (outbound: Outbound): Served => ({
  name: "sendFromMcp",
  row: { ...work, scope: "tokens", access: "write", lane: "outbound", input: Sent },
  async verb(context, input) {
    const { account } = requireCaller(context);
    const { method, url, headers: given, body } = input as z.output<typeof Sent>;
    // The agent's own login goes its own way, so that none of ours can be mistaken for it.
    const { authorization, ...headers } = given;
    const isPaid = headers[X402_HEADERS.PAYMENT_SIGNATURE] !== undefined;
    const { outcome } = await recordExchange(outbound, {
      ...{ account, method, url, headers },
      ...(authorization !== undefined && { authorization }),
      ...(body !== undefined && { body }),
      ...(isPaid && { totalMs: PAID_MS, silentMs: PAID_MS }),
    });
    if (outcome.kind !== "answered") throw new PaymentsError(codeOf(outcome), outcome.message);
    const { status } = outcome;
    if (status < 200 || status > 599) {
      throw new PaymentsError(
        "network_error",
        `The agent answered with status ${status}, which HTTP does not have.`,
      );
    }
    const hasBody = ![204, 205, 304].includes(status);
    return new Response(hasBody ? bodyOf(outcome) : null, outcome);
  },
});

/** Only after `network_error` may the agent have got the request. */
function codeOf({ kind, code }: Unanswered): ErrorCode {
  if (kind === "failed") return "network_error";
  return code === "too_many" ? "rate_limited" : "invalid_input";
}

/** The text of an answer; that of one which was cut off ends in an error that says why. */
function bodyOf({ text, cut }: Answered): string | ReadableStream<Uint8Array> {
  if (!cut) return text;
  const parts = [new TextEncoder().encode(text)];
  return new ReadableStream({
    pull(controller) {
      const part = parts.pop();
      if (part) controller.enqueue(part);
      else controller.error(new Error(cut.message));
    },
  });
}
