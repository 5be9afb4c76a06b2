import { isParameter, parseRouteKey } from "../../protocol/match-route.ts";
import type { Discovery } from "./bazaar.ts";

type Json = Record<string, unknown>;

/**
 * What an OpenAPI document says of a route: its parameters or JSON body, and its answer. `undefined` when the document does
 * not have the route. References within the document are followed.
 *
 * @example
 * createGate(payments, { "POST /ask": { planId, discovery: discoveryFromOpenApi(document, "POST /ask") } });
 */
export function discoveryFromOpenApi(document: Json, key: string): Discovery | undefined {
  const route = parseRouteKey(key);
  if (!route) return undefined;
  const paths = (document.paths ?? {}) as Record<string, Json>;
  const path = Object.keys(paths).find((each) => isSamePath(each, route.segments));
  const operation = path && (paths[path]?.[route.method.toLowerCase()] as Json | undefined);
  if (!operation) return undefined;
  const given = resolveRefs(operation, document, 0) as OpenApiOperation;
  const body = given.requestBody?.content?.["application/json"];
  const answer = given.responses?.["200"]?.content?.["application/json"];
  const query = (given.parameters ?? []).filter((one) => one.in === "query");
  const inputSchema = body?.schema ?? querySchema(query);
  const input =
    body?.example ??
    Object.fromEntries(
      query.flatMap(({ name, example }) => (example === undefined ? [] : [[name, example]])),
    );
  return {
    input: input as Json,
    inputSchema,
    ...(answer && { output: { example: answer.example, schema: answer.schema ?? {} } }),
  };
}

type Media = { schema?: Json; example?: unknown };
type OpenApiOperation = {
  parameters?: { name: string; in: string; required?: boolean; schema?: Json; example?: unknown }[];
  requestBody?: { content?: Record<string, Media> };
  responses?: Record<string, { content?: Record<string, Media> }>;
};

const querySchema = (query: NonNullable<OpenApiOperation["parameters"]>): Json => ({
  properties: Object.fromEntries(query.map(({ name, schema }) => [name, schema ?? {}])),
  required: query.filter(({ required }) => required).map(({ name }) => name),
});

function isSamePath(path: string, segments: readonly string[]): boolean {
  const parts = path.split("/").slice(1);
  return (
    parts.length === segments.length &&
    parts.every((part, index) => {
      const own = segments[index] ?? "";
      return isParameter(own) ? isParameter(part) : own === part;
    })
  );
}

const MAX_DEPTH = 16;

/** The value with its references replaced: readers of the extension do not resolve any. */
function resolveRefs(value: unknown, document: Json, depth: number): unknown {
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return value;
  if (Array.isArray(value)) return value.map((item) => resolveRefs(item, document, depth + 1));
  const { $ref } = value as Json;
  if (typeof $ref === "string") {
    const target = $ref
      .replace(/^#\//, "")
      .split("/")
      .reduce<unknown>((inner, name) => (inner as Json | undefined)?.[name], document);
    return resolveRefs(target ?? {}, document, depth + 1);
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, resolveRefs(item, document, depth + 1)]),
  );
}
