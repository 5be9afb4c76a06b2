import "server-only";
import {
  type Audience,
  buildOpenApi,
  type Operations,
  PaymentsError,
} from "@turnpike/payments/protocol";
import { Hono, type Context as HonoContext } from "hono";
import { cors } from "hono/cors";
import { StatementDocument } from "@/lib/domain/money/statements.ts";
import type { Outbound } from "@/lib/domain/outbound-ports.ts";
import type { Log, Ports } from "@/lib/domain/ports.ts";
import fields from "@/lib/text/field-descriptions.json" with { type: "json" };
import { downloadResponse } from "../documents/download.ts";
import { statementDownload } from "../documents/statement-files.ts";
import { brokenStream, isLostReply } from "../pipeline/apply-fault.ts";
import { readKeyHash } from "../pipeline/authenticate.ts";
import { errorAnswer } from "../pipeline/error-answer.ts";
import type { Pipeline } from "../pipeline/perform.ts";
import { answerText } from "../pipeline/public-reads.ts";
import { readBody, readText } from "../pipeline/read-input.ts";
import type { ServedOperation } from "../pipeline/served-operations.ts";
import { createEventStream, type EventStream } from "./event-stream.ts";
import type { Health } from "./health.ts";
import { createMcpEndpoint } from "./mcp.ts";
import { ROOT_DOCUMENTS } from "./root-documents.ts";

export const API_VERSION = "0.1.0";

export type ApiOptions = {
  ports: Pick<
    Ports,
    "environment" | "crypto" | "log" | "origin" | "events" | "activity" | "apiKeys"
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

/** What the HTTP server knows beside the request. */
type Bindings = { Bindings: { address?: string } };
type ApiContext = HonoContext<Bindings>;
type Route = [ServedOperation, ...ServedOperation[]];

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
  api.get("/health/live", (http) => http.json({ ok: true }, 200, { "cache-control": "no-store" }));
  api.get("/events/stream", (http) => {
    const requestId = crypto.randomUUID();
    const { req } = http;
    return events
      .open({
        keyHash: readKeyHash(ports, req.header("authorization")),
        address: http.env?.address ?? "unknown",
        requestId,
        after: req.header("last-event-id") ?? req.query("after"),
      })
      .catch((cause) => errorAnswer(cause, requestId, ports));
  });
  if (outbound) {
    const answerTools = createMcpEndpoint({ ports, pipeline, origin, outbound, serve: app.fetch });
    api.post("/mcp", (http) => answerTools(http.req.raw, http.env?.address ?? "unknown"));
  }
  for (const [audience, path] of Object.entries(DOCUMENTS)) {
    const operations = rowsFor(audience, pipeline);
    if (Object.keys(operations).length === 0) continue;
    const document = buildOpenApi({ origin, version: API_VERSION, operations, fields });
    api.get(path, (http) => http.json(document));
  }
  api.use("/openapi.json", readableFromPages(["GET"]));
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
    exposeHeaders: ["x-request-id", "retry-after", "etag"],
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

async function serve(
  { ports, pipeline }: Pick<ApiOptions, "ports" | "pipeline">,
  route: Route,
  http: ApiContext,
  query?: Record<string, string>,
): Promise<Response> {
  const requestId = crypto.randomUUID();
  const headers: Record<string, string> = {
    "content-type": "application/json",
    "cache-control": "no-store",
    "x-request-id": requestId,
  };
  try {
    const authorization = http.req.header("authorization");
    const keyHash = readKeyHash(ports, authorization);
    const answer = await pipeline.perform({
      operation: route[0],
      credentials: keyHash === null ? null : { keyHash },
      // Without our HTTP server there is none; then such calls count together.
      address: http.env?.address ?? "unknown",
      requestId,
      async read() {
        const input = query ?? (await readInput(http, { route, log: ports.log }));
        return { operation: choose(route, input), input };
      },
    });
    if (answer instanceof StatementDocument) return downloadResponse(statementDownload(answer));
    const { text, kept } = answerText(answer);
    if (kept && authorization === undefined) {
      headers["cache-control"] = `public, max-age=${kept.secs}`;
      headers.etag = kept.etag;
      if (http.req.header("if-none-match") === kept.etag) {
        return new Response(null, { status: 304, headers });
      }
    }
    return new Response(text, { headers });
  } catch (cause) {
    return isLostReply(cause)
      ? new Response(brokenStream(cause), { headers })
      : errorAnswer(cause, requestId, ports);
  }
}

/** Body, query and path members as one input; the path wins. */
async function readInput(
  { req }: ApiContext,
  { route, log }: { route: Route; log: Log },
): Promise<Record<string, unknown>> {
  const hasBody = req.method === "POST" || req.method === "PUT";
  const maxBytes = Math.max(...route.map(({ row }) => row.maxInput));
  const idempotencyKey = req.header("idempotency-key");
  return {
    ...(hasBody ? readBody(await readText(req.raw, { maxBytes, log }), maxBytes) : req.query()),
    ...req.param(),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  };
}

/** Of operations with one method and path, the one whose `when` matches the input. */
const choose = (route: Route, input: Record<string, unknown>): ServedOperation =>
  route.find(
    ({ row }) =>
      row.when && Object.entries(row.when).every(([name, value]) => input[name] === value),
  ) ??
  route.find(({ row }) => !row.when) ??
  route[0];

function groupByRoute({ operations }: Pipeline): Route[] {
  const routes = new Map<string, Route>();
  for (const operation of operations) {
    const key = `${operation.row.method} ${operation.row.path}`;
    const route = routes.get(key);
    if (route) route.push(operation);
    else routes.set(key, [operation]);
  }
  return [...routes.values()];
}

const noRoute = (http: ApiContext) =>
  new PaymentsError("not_found", `There is no ${http.req.method} ${http.req.path}.`, {
    hint: "See GET /api/v1/openapi.json for every operation.",
  });
