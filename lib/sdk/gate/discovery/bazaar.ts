import { isParameter, normalizePath, parseRouteKey, pathOf } from "../../protocol/match-route.ts";

type Json = Record<string, unknown>;

/**
 * How a route is called, for agents that look for one: the `bazaar` extension of x402, in the words of its stock library.
 * Examples are checked by readers against the schemas beside them.
 */
export type Discovery = {
  /** An example: the query of GET, HEAD and DELETE, the body of other methods, the arguments of an MCP tool. */
  input?: Json;
  /** The JSON schema of `input`, without references to other documents. */
  inputSchema?: Json;
  /** Default `json`. */
  bodyType?: "json" | "form-data" | "text";
  output?: { example?: unknown; schema?: Json };
};

/** What is described: an HTTP route, or a tool of an MCP server. */
export type Described = {
  discovery: Discovery;
  method: string;
  segments: readonly string[];
  url: string;
  tool?: string | undefined;
  description?: string | undefined;
};

const QUERY_METHODS = ["GET", "HEAD", "DELETE"];
const BODY_METHODS = ["POST", "PUT", "PATCH"];

/** The `bazaar` extension of a call's requirement. */
export function bazaarOf(described: Described): Json {
  const { output } = described.discovery;
  const { info, properties, required } = described.tool
    ? describeTool(described)
    : describeHttp(described);
  const template = described.segments.some(isParameter)
    ? `/${described.segments.map((part) => part.replace(/^\{(\w+)\}$/, ":$1")).join("/")}`
    : undefined;
  return {
    info: {
      input: info,
      ...(output?.example !== undefined && { output: { type: "json", example: output.example } }),
    },
    schema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: {
        input: { type: "object", properties, required, additionalProperties: false },
        ...(output && {
          output: {
            type: "object",
            properties: { type: { type: "string" }, example: output.schema ?? {} },
            required: ["type"],
          },
        }),
      },
      required: ["input"],
    },
    ...(template && !described.tool && { routeTemplate: template }),
  };
}

type Input = { info: Json; properties: Json; required: string[] };

function describeHttp({ discovery, method, segments, url }: Described): Input {
  const { input = {}, inputSchema = {}, bodyType = "json" } = discovery;
  const hasBody = BODY_METHODS.includes(method);
  const schema = { type: "object", ...inputSchema };
  const pathParams = paramsOf(segments, url);
  return {
    info: {
      type: "http",
      method,
      ...(hasBody ? { bodyType, body: input } : { queryParams: input }),
      ...(pathParams && { pathParams }),
    },
    properties: {
      type: { type: "string", const: "http" },
      method: { type: "string", enum: hasBody ? BODY_METHODS : QUERY_METHODS },
      ...(hasBody
        ? { bodyType: { type: "string", enum: ["json", "form-data", "text"] }, body: schema }
        : { queryParams: schema }),
      ...(pathParams && {
        pathParams: { type: "object", additionalProperties: { type: "string" } },
      }),
    },
    required: ["type", "method", ...(hasBody ? ["bodyType", "body"] : [])],
  };
}

const describeTool = ({ discovery, tool, description }: Described): Input => ({
  info: {
    type: "mcp",
    toolName: tool,
    ...(description && { description }),
    inputSchema: { type: "object", ...discovery.inputSchema },
    ...(discovery.input && { example: discovery.input }),
  },
  properties: {
    type: { type: "string", const: "mcp" },
    toolName: { type: "string" },
    description: { type: "string" },
    inputSchema: { type: "object" },
    example: { type: "object", ...discovery.inputSchema },
  },
  required: ["type", "toolName", "inputSchema"],
});

/** The values of a path's parameters in a request. */
function paramsOf(segments: readonly string[], url: string): Json | null {
  if (!segments.some(isParameter)) return null;
  const parts = normalizePath(pathOf(url)) ?? [];
  return Object.fromEntries(
    segments.flatMap((part, index) =>
      isParameter(part) ? [[part.replace(/[:{}]/g, ""), parts[index] ?? ""]] : [],
    ),
  );
}

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
