import * as z from "zod/mini";
import { ErrorEnvelope } from "../error-envelope.ts";
import { ERRORS } from "../errors.ts";
import { EXAMPLES } from "../operations/examples.ts";
import { type Operation, type Operations, pathMembers } from "../operations/operation.ts";
import { describeFields, type FieldDescriptions } from "./describe-fields.ts";
import { describeStream } from "./event-stream.ts";
import { memberOf, membersOf, requires, withoutMembers } from "./members.ts";

type Json = Record<string, unknown>;

const FILES = {
  "text/csv": { schema: { type: "string" } },
  "application/pdf": { schema: { type: "string", format: "binary" } },
};

const AMOUNT = {
  description: "A whole number from 0 to 2^256-1; a decimal string above 2^53.",
  oneOf: [
    { type: "string", pattern: "^(0|[1-9][0-9]{0,77})$" },
    { type: "integer", minimum: 0 },
  ],
};

/** What the API adds to the envelope that clients read. */
const ErrorAnswer = z.extend(ErrorEnvelope, { docs: z.url() });

/**
 * The OpenAPI 3.1 document of a table of operations. `origin` becomes the server's URL. `fields` describes the members
 * of bodies and parameters; it is given rather than imported, so that no client carries it.
 */
export function buildOpenApi({
  origin,
  version,
  operations,
  fields = {},
}: {
  origin: string;
  version: string;
  operations: Operations;
  fields?: FieldDescriptions;
}): Json {
  const { value: paths, definitions } = hoistDefinitions(buildPaths(operations));
  const error = schemaOf(ErrorAnswer, "output");
  describeFields(fields, { ...paths, Error: error });
  const sections = [...new Set(Object.values(operations).map(({ section }) => section))];
  return {
    openapi: "3.1.0",
    info: {
      title: "Turnpike",
      version,
      description: "Paid access to AI agents: plans, access tokens, verify and settle (x402).",
      contact: { name: "Turnpike", url: origin || "/" },
      license: { name: "Apache 2.0", identifier: "Apache-2.0" },
    },
    // On one's own machine relative to the document, which others may reach by another name.
    servers: [{ url: `${isOwnMachine(origin) ? "" : origin}/api/v1` }],
    security: [{ apiKey: [] }],
    tags: sections.map((name) => ({ name, description: `Operations of “${name}”.` })),
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: "http", scheme: "bearer", description: "An API key of an account." },
      },
      responses: Object.fromEntries(
        REFUSALS.map(([status, description]) => [`Refusal${status}`, refusal(description)]),
      ),
      schemas: { ...definitions, Error: error },
    },
  };
}

const isOwnMachine = (origin: string) => /^https?:\/\/(localhost|127\.0\.0\.1)(:|$)/.test(origin);

/** Every 4xx status of an error code, with its codes. */
const REFUSALS = [...new Set(Object.values(ERRORS).map(({ status }) => status))]
  .filter((status) => status >= 400 && status < 500 && status !== 405)
  .sort()
  .map((status): [number, string] => [status, describeCodes((one) => one === status)]);

function describeCodes(fits: (status: number) => boolean): string {
  const codes = Object.entries(ERRORS).filter(([, { status }]) => fits(status));
  return `Refused or failed; \`code\` is one of: ${codes.map(([code]) => code).join(", ")}.`;
}

const refusal = (description: string): Json => ({
  description,
  content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Error" } } },
});

/** The refusals an operation can answer. */
function refusalsOf(row: Operation, hasBody: boolean): Json {
  const statuses = [
    ...(row.access === "public" ? [] : [401, 403]),
    ...(row.method === "GET" ? [] : [409]),
    ...(hasBody ? [402, 413] : []),
    404,
    422,
    429,
  ].sort();
  const named = statuses.map((status) => [
    status,
    { $ref: `#/components/responses/Refusal${status}` },
  ]);
  return Object.fromEntries(named);
}

/** How an operation is called, in sentences. */
function describeCall(name: string, row: Operation): string {
  const key =
    row.access === "public"
      ? "No API key is needed."
      : `Needs an API key with the scope \`${row.scope}:${row.access}\`.`;
  const repeat = row.repeatable
    ? "A repeat has the effect of one call."
    : row.repeatKey
      ? `A repeat with the same \`${row.repeatKey}\` has the effect of one call.`
      : "";
  return `${row.summary}. ${key} ${repeat} In the client: \`payments.${row.group}.${name}\`.`.replace(
    "  ",
    " ",
  );
}

// A schema refers to definitions beside itself; in this document references start at its root.
function hoistDefinitions(schema: Json): { value: Json; definitions: Json } {
  const definitions: Json = {};
  const value = JSON.parse(JSON.stringify(schema), (key, item) => {
    if (key === "$ref") return item.replace("#/$defs/", "#/components/schemas/");
    if (key !== "$defs") return item;
    Object.assign(definitions, item);
    return undefined;
  });
  return { value, definitions };
}

function buildPaths(operations: Operations): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const [name, row] of Object.entries(operations)) {
    const path = row.path.replace(/:(\w+)/g, "{$1}");
    const methods = paths[path] ?? {};
    paths[path] = methods;
    const method = row.method.toLowerCase();
    const described = describeOperation(name, row);
    methods[method] = methods[method] ? mergeBodies(methods[method], described) : described;
    if (name === "listEvents") paths["/events/stream"] = { get: describeStream(described) };
  }
  return paths;
}

function describeOperation(name: string, row: Operation): Json {
  const input = schemaOf(row.input, "input");
  const inPath = pathMembers(row.path);
  const sample = row.sample(EXAMPLES);
  const takesKey = IDEMPOTENCY_MEMBER in membersOf(input);
  const rest = withoutMembers(input, [...inPath, IDEMPOTENCY_MEMBER]);
  const hasBody = row.method === "POST" || row.method === "PUT";
  return {
    operationId: name,
    summary: row.summary,
    description: describeCall(name, row),
    tags: [row.section],
    ...(row.access === "public" && { security: [] }),
    parameters: [
      ...inPath.map((name) => ({
        ...parameter("path", name, memberOf(input, name), true),
        example: sample[name],
      })),
      ...(hasBody ? [] : queryParameters(rest, sample)),
      ...(takesKey
        ? [
            parameter(
              "header",
              "Idempotency-Key",
              memberOf(input, IDEMPOTENCY_MEMBER),
              requires(input, IDEMPOTENCY_MEMBER),
            ),
          ]
        : []),
    ],
    ...(hasBody && {
      requestBody: {
        ...(requires(rest) && { required: true }),
        content: { "application/json": { schema: rest, example: bodyExample(sample, inPath) } },
      },
    }),
    responses: {
      200: {
        description: "The answer.",
        content: {
          "application/json": { schema: schemaOf(row.output, "output") },
          ...(row.isStreamed && FILES),
        },
      },
      ...refusalsOf(row, hasBody),
      default: refusal(describeCodes((status) => status === 0 || status >= 500)),
    },
  };
}

// Two operations on one path are told apart by their body: the document offers both shapes.
function mergeBodies(first: Json, second: Json): Json {
  const schemas = [first, second].map(
    (row) =>
      (row.requestBody as { content: Record<string, { schema: Json }> }).content["application/json"]
        ?.schema,
  );
  return {
    ...first,
    summary: `${first.summary}; or: ${second.summary}`,
    description: `${first.description} ${second.description}`,
    requestBody: {
      required: true,
      content: { "application/json": { schema: { anyOf: schemas } } },
    },
  };
}

const parameter = (
  place: "path" | "query" | "header",
  name: string,
  schema: unknown,
  required: boolean,
): Json => ({
  name,
  in: place,
  required,
  schema,
});

function queryParameters(schema: Json, sample: Json): Json[] {
  return Object.entries((schema.properties as Json | undefined) ?? {}).map(([name, member]) => ({
    ...parameter("query", name, member, requires(schema, name)),
    ...(sample[name] !== undefined && { example: sample[name] }),
  }));
}

const bodyExample = (sample: Json, inPath: string[]): Json =>
  Object.fromEntries(
    Object.entries(sample).filter(
      ([name]) => !inPath.includes(name) && name !== IDEMPOTENCY_MEMBER,
    ),
  );

// This member of an input travels in a header.
const IDEMPOTENCY_MEMBER = "idempotencyKey";

function schemaOf(schema: z.core.$ZodType, io: "input" | "output"): Json {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    unrepresentable: "any",
    reused: "inline",
    override: ({ zodSchema, jsonSchema }) => {
      nameMembers(jsonSchema as Json);
      const wire = z.globalRegistry.get(zodSchema)?.wire;
      const written = typeof wire === "string" ? WIRE_FORMS[wire] : readForm(zodSchema, jsonSchema);
      if (!written) return;
      for (const key of Object.keys(jsonSchema)) delete (jsonSchema as Json)[key];
      Object.assign(jsonSchema, written);
    },
  }) as Json;
  return json;
}

// Readers of the document expect each required member among the properties, and `items` of every array.
function nameMembers(schema: Json): void {
  const { required, properties, additionalProperties: member } = schema;
  if (Array.isArray(required) && !properties && member && typeof member === "object") {
    schema.properties = Object.fromEntries(required.map((name) => [name, member]));
  }
  // What an input may not have is not one of its members.
  for (const [name, given] of Object.entries((schema.properties ?? {}) as Json)) {
    if ((given as Json).not) delete (schema.properties as Json)[name];
  }
  if (!Array.isArray(schema.prefixItems) || schema.items) return;
  const { length } = schema.prefixItems;
  Object.assign(schema, { items: {}, minItems: length, maxItems: length });
}

// What a transform makes cannot be told; here it always has the shape of what it read. A count keeps its own limits.
function readForm(zodSchema: z.core.$ZodType, jsonSchema: object): Json | undefined {
  const { in: read, out } = zodSchema._zod.def as Partial<z.core.$ZodPipeDef>;
  if (read && out && z.globalRegistry.get(read)?.wire === "count")
    return { ...WIRE_FORMS.count, ...schemaOf(out, "input"), type: "integer" };
  const isUntold = zodSchema._zod.def.type === "pipe" && Object.keys(jsonSchema).length === 0;
  return isUntold ? schemaOf(zodSchema, "input") : undefined;
}

const WIRE_FORMS: Record<string, Json> = {
  uint256: AMOUNT,
  count: { type: "integer", minimum: 0 },
  address: { type: "string", pattern: "^0x[0-9a-fA-F]{40}$" },
  text: { type: "string" },
  flag: { type: "boolean" },
  url: { type: "string", format: "uri" },
};
