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

// Imports nothing, so that a bundler cuts no chunk of the gate apart for it.
const isParameter = (part: string) => /^[:{]/.test(part);

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
  // The gate has matched the path, so it decodes.
  const parts = new URL(url, "http://agent").pathname.split("/").filter(Boolean);
  return Object.fromEntries(
    segments.flatMap((part, index) =>
      isParameter(part)
        ? [[part.replace(/[:{}]/g, ""), decodeURIComponent(parts[index] ?? "")]]
        : [],
    ),
  );
}
