import "server-only";
import {
  type Audience,
  buildOpenApi,
  defineOperations,
  type Operations,
  PaymentsError,
} from "@turnpike/payments/protocol";
import { Hono, type Context as HonoContext } from "hono";
import { cors } from "hono/cors";
import * as z from "zod/mini";
import type { Outbound } from "@/lib/domain/outbound-ports.ts";
import type { Ports } from "@/lib/domain/ports.ts";
import fields from "@/lib/text/field-descriptions.json" with { type: "json" };
import { readKeyHash } from "../pipeline/authenticate.ts";
import { errorAnswer } from "../pipeline/error-answer.ts";
import type { Pipeline } from "../pipeline/perform.ts";
import { keepText } from "../pipeline/public-reads.ts";
import { readText } from "../pipeline/read-input.ts";
import { answerOperation, groupByRoute, type Route } from "./answer-operation.ts";
import { FORGED_ADDRESS } from "./client-address.ts";
import { createEventStream, type EventStream } from "./event-stream.ts";
import type { Health } from "./health.ts";
import { createMcpEndpoint } from "./mcp.ts";
import { ROOT_DOCUMENTS } from "./root-documents.ts";

export const API_VERSION = "0.1.0";

export type ApiOptions = {
  ports: Pick<
    Ports,
    "environment" | "crypto" | "log" | "origin" | "events" | "activity" | "apiKeys" | "clock"
  >;
  pipeline: Pipeline;
  /** By default a separate one. */
  events?: EventStream;
  origin: string;
  /** The state of every part, or of those that requests need. */
  health: (of?: "ready") => Promise<Health>;
  /** Requests to agents for tools of MCP; without it there are none. */
  outbound?: Outbound;
};

/** What the HTTP server knows in addition to the request. */
type Bindings = { Bindings: { address?: string } };
type ApiContext = HonoContext<Bindings>;

/** What pages of any site may read of an answer. */
export const EXPOSED_HEADERS = ["x-request-id", "retry-after", "etag"];

/** Only another release changes a document. */
const DOCUMENT_SECS = 300;
/** Where the OpenAPI document of each audience is. */
const DOCUMENTS: Record<Audience, string> = {
  protocol: "/openapi.json",
  console: "/console/openapi.json",
  sandbox: "/sandbox/openapi.json",
};

/** The HTTP API: a plain `Request → Response` function, so tests need no port. */
export function createApi({
  ports,
  pipeline,
  origin,
  health,
  outbound,
  ...more
}: ApiOptions): Hono<Bindings> {
  const { events = createEventStream(ports, pipeline) } = more;
  const app = new Hono<Bindings>();
  app.notFound((http) => errorAnswer(noRoute(http), crypto.randomUUID(), ports));
  app.onError((cause) => errorAnswer(cause, crypto.randomUUID(), ports));
  const api = app.basePath("/api/v1");

  const answerHealth = async (http: ApiContext, of?: "ready") => {
    const state = await health(of);
    return http.json(state, state.status === "down" ? 503 : 200, { "cache-control": "no-store" });
  };
  api.get("/health", (http) => answerHealth(http));
  api.get("/health/ready", (http) => answerHealth(http, "ready"));
  // Answers while the process can: a restart cures nothing else.
  api.get("/health/live", (http) => {
    // Asked by preflight: whether a client can choose the address that limits count.
    const isForged = http.env?.address === FORGED_ADDRESS;
    const state = { ok: true, ...(isForged && { isForged }) };
    return http.json(state, 200, { "cache-control": "no-store" });
  });
  api.get("/events/stream", (http) => {
    const requestId = crypto.randomUUID();
    const { req } = http;
    return events
      .open({
        keyHash: readKeyHash(ports, req.header("authorization")),
        address: http.env?.address ?? "unknown",
        requestId,
        after: req.header("last-event-id") ?? req.query("after"),
        isHead: req.method === "HEAD",
      })
      .catch((cause) => errorAnswer(cause, requestId, ports));
  });
  if (outbound) {
    const answerTools = createMcpEndpoint({ ports, pipeline, origin, outbound, serve: app.fetch });
    api.post("/mcp", (http) => answerTools(http.req.raw, http.env?.address ?? "unknown"));
    api.all("/mcp", () => {
      const answer = errorAnswer(noStream(), crypto.randomUUID(), ports);
      answer.headers.set("allow", "POST");
      return answer;
    });
  }
  api.use(DOCUMENTS.protocol, readableFromPages(["GET"]));
  for (const [audience, path] of Object.entries(DOCUMENTS)) {
    const operations = rowsFor(audience, pipeline);
    if (Object.keys(operations).length === 0) continue;
    const route = documentRoute(path, () =>
      buildOpenApi({ origin, version: API_VERSION, operations, fields }),
    );
    api.get(path, (http) => serve({ ports, pipeline }, route, http));
  }
  const routes = groupByRoute(pipeline);
  for (const [path, methods] of protocolPaths(routes)) api.use(path, readableFromPages(methods));
  for (const route of routes) {
    const [{ row }] = route;
    const paths = [row.path, ...(row.formerPath ? [row.formerPath] : [])];
    api.on(row.method, paths, (http) => serve({ ports, pipeline }, route, http));
  }
  for (const [path, document] of Object.entries(ROOT_DOCUMENTS)) {
    app.get(path, async (http) => {
      const route: Route = [pipeline.find(document.operation)];
      const answer = await serve({ ports, pipeline }, route, http, document.query);
      // Agents and wallets read these from pages of any origin.
      answer.headers.set("access-control-allow-origin", "*");
      if (!answer.ok || !document.shape) return answer;
      const shaped = document.shape((await answer.json()) as never, origin);
      return new Response(JSON.stringify(shaped), answer);
    });
  }
  return app;
}

/**
 * Lets pages of any site call the protocol's operations with an API key of their own. Never with credentials: the API
 * reads no cookies, so a page gains nothing that its visitor is signed in to. The operations of the dashboard and of the
 * sandbox answer no preflight.
 */
const readableFromPages = (allowMethods: string[]) =>
  cors({
    origin: "*",
    allowMethods,
    allowHeaders: ["authorization", "content-type", "idempotency-key", "nevermined-version"],
    exposeHeaders: EXPOSED_HEADERS,
    maxAge: 600,
  });

/** The paths of the protocol's operations, with their methods. */
function protocolPaths(routes: readonly Route[]): Map<string, string[]> {
  const paths = new Map<string, string[]>();
  for (const [{ row }] of routes) {
    if (row.audience !== "protocol") continue;
    paths.set(row.path, [...(paths.get(row.path) ?? []), row.method]);
  }
  return paths;
}

const rowsFor = (audience: string, { operations }: Pipeline): Operations =>
  Object.fromEntries(
    operations.filter(({ row }) => row.audience === audience).map(({ name, row }) => [name, row]),
  );

/** A document that anyone may read, as an operation that is in none of them: counted as the others are, and written once. */
function documentRoute(path: string, build: () => object): Route {
  const { getDocument: row } = defineOperations(
    { name: "documents", section: "Documents", scope: "activity" },
    {
      getDocument: {
        route: `GET ${path as "/"}`,
        summary: "Get an OpenAPI document",
        access: "public",
        input: z.object({}),
        output: z.record(z.string(), z.unknown()),
      },
    },
  );
  let document: object | undefined;
  const verb = async () => (document ??= keepText(build(), DOCUMENT_SECS));
  return [{ name: "getDocument", row, verb }];
}

async function serve(
  from: Pick<ApiOptions, "ports" | "pipeline">,
  route: Route,
  http: ApiContext,
  query?: Record<string, string>,
): Promise<Response> {
  const { req } = http;
  const hasBody = req.method === "POST" || req.method === "PUT";
  const answer = await answerOperation(from, route, {
    header: (name) => req.header(name),
    // Without our HTTP server there is none; then such calls count together.
    address: http.env?.address ?? "unknown",
    members: () => query ?? { ...(!hasBody && req.query()), ...req.param() },
    ...(hasBody && !query && { text: (limit) => readText(req.raw, limit) }),
  });
  if (answer instanceof Response) return answer;
  const { text, bytes = text, ...init } = answer;
  return new Response(bytes, init);
}

const noRoute = (http: ApiContext) =>
  new PaymentsError("not_found", `There is no ${http.req.method} ${http.req.path}.`, {
    hint: "See GET /api/v1/openapi.json for every operation.",
  });

/** What streamable HTTP asks of a server without streams and sessions, so that clients go on without them. */
const noStream = () =>
  new PaymentsError("method_not_allowed", "The MCP endpoint has no stream and no sessions.", {
    hint: "Send each message by POST.",
  });
