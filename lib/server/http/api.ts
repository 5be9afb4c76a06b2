import "server-only";
import {
  type Audience,
  buildOpenApi,
  type Operations,
  PaymentsError,
  toJson,
} from "@turnpike/payments/protocol";
import { Hono, type Context as HonoContext } from "hono";
import type { Ports } from "@/lib/domain/ports.ts";
import { isLostReply } from "../pipeline/apply-fault.ts";
import { readKeyHash } from "../pipeline/authenticate.ts";
import { errorAnswer } from "../pipeline/error-answer.ts";
import type { Pipeline } from "../pipeline/perform.ts";
import { readBody, tooLarge } from "../pipeline/read-input.ts";
import type { ServedOperation } from "../pipeline/served-operations.ts";
import type { Health } from "./health.ts";

export const API_VERSION = "0.1.0";

export type ApiOptions = {
  ports: Pick<Ports, "environment" | "crypto" | "log">;
  pipeline: Pipeline;
  origin: string;
  health: () => Promise<Health>;
};

type Route = [ServedOperation, ...ServedOperation[]];

/** Where the OpenAPI document of each audience is. */
const DOCUMENTS: Record<Audience, string> = {
  protocol: "/openapi.json",
  console: "/console/openapi.json",
  sandbox: "/sandbox/openapi.json",
};

/** The HTTP API: a plain `Request → Response` function, so tests need no port. */
export function createApi({ ports, pipeline, origin, health }: ApiOptions): Hono {
  const api = new Hono().basePath("/api/v1");

  api.get("/health", async (http) => {
    const state = await health();
    return http.json(state, state.status === "down" ? 503 : 200, { "cache-control": "no-store" });
  });
  for (const [audience, path] of Object.entries(DOCUMENTS)) {
    const operations = rowsFor(audience, pipeline);
    if (Object.keys(operations).length === 0) continue;
    const document = buildOpenApi({ origin, version: API_VERSION, operations });
    api.get(path, (http) => http.json(document));
  }
  for (const route of groupByRoute(pipeline)) {
    const [{ row }] = route;
    api.on(row.method, row.path, (http) => serve({ ports, pipeline }, route, http));
  }
  api.notFound((http) => errorAnswer(noRoute(http), crypto.randomUUID(), ports.log));
  api.onError((cause) => errorAnswer(cause, crypto.randomUUID(), ports.log));
  return api;
}

const rowsFor = (audience: string, { operations }: Pipeline): Operations =>
  Object.fromEntries(
    operations.filter(({ row }) => row.audience === audience).map(({ name, row }) => [name, row]),
  );

async function serve(
  { ports, pipeline }: Pick<ApiOptions, "ports" | "pipeline">,
  route: Route,
  http: HonoContext,
): Promise<Response> {
  const requestId = crypto.randomUUID();
  const headers = {
    "content-type": "application/json",
    "cache-control": "no-store",
    "x-request-id": requestId,
  };
  try {
    const keyHash = readKeyHash(ports, http.req.header("authorization"));
    const input = await readInput(http, Math.max(...route.map(({ row }) => row.maxInput)));
    const answer = await pipeline.perform({
      operation: choose(route, input),
      credentials: keyHash === null ? null : { keyHash },
      input,
      requestId,
    });
    return new Response(toJson(answer), { headers });
  } catch (cause) {
    return isLostReply(cause)
      ? new Response(brokenStream(cause), { headers })
      : errorAnswer(cause, requestId, ports.log);
  }
}

/** The connection breaks after the response's head. */
const brokenStream = (cause: unknown) =>
  new ReadableStream({ start: (controller) => controller.error(cause) });

/** Body, query and path members as one input; the path wins. */
async function readInput(http: HonoContext, maxLength: number): Promise<Record<string, unknown>> {
  const { req } = http;
  const hasBody = req.method === "POST" || req.method === "PUT";
  if (hasBody && Number(req.header("content-length") ?? 0) > maxLength) throw tooLarge(maxLength);
  const idempotencyKey = req.header("idempotency-key");
  return {
    ...(hasBody ? readBody(await req.text(), maxLength) : req.query()),
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

const noRoute = (http: HonoContext) =>
  new PaymentsError("not_found", `There is no ${http.req.method} ${http.req.path}.`, {
    hint: "See GET /api/v1/openapi.json for every operation.",
  });
