import { plural } from "@/lib/text/plural.ts";
import { textOf } from "@/lib/text/text-of.ts";
import { MAX_ENDPOINTS } from "./definition.ts";
import { cleanText, isJson, type Json, listOf, member, readUrl } from "./foreign-text.ts";
import { entriesOf, type Reading, resolveReference, shortJson, startReading } from "./reading.ts";
import type { AgentDefinition, FoundEndpoint } from "./report/discovery.ts";
import { sampleValue } from "./sample-value.ts";

/** Paths and operations that are read; the rest are counted. */
const MAX_PATHS = 10_000;
const MAX_OPERATIONS = 1_000;
/** Parameters and answers of an operation that are read. */
const MAX_PARTS = 50;
const MAX_TAGS = 20;
const MAX_TEMPLATE = 2_048;
const MAX_VALUE = 200;
const MAX_SAMPLE = 10_000;
const VERBS = ["get", "post", "put", "patch", "delete", "head"];
/** Housekeeping paths that agents do not sell. */
const HOUSEKEEPING =
  /(^|\/)(health(z|check)?|ready|live(ness)?|ping|status|metrics|version|docs?|redoc|swagger|openapi(\.(json|ya?ml))?|favicon\.ico|robots\.txt|\.well-known|login|logout|token|auth)(\/|$)/i;

/** Reads an OpenAPI 3 document; null for any other document. */
export function readOpenApi(document: unknown, url: string): AgentDefinition | null {
  const version = member(document, "openapi");
  if (typeof version !== "string" || !/^3\.\d/.test(version)) return null;
  const reading = startReading(document);
  const paths = resolveMap(member(document, "paths"));
  const pathCount = Object.keys(paths).length;
  const { operations, others } = findOperations(paths, reading);
  const hasPaid = operations.some(({ operation }) => asksForPayment(operation));
  const endpoints: FoundEndpoint[] = [];
  let read = 0;
  for (; read < operations.length && endpoints.length < MAX_ENDPOINTS; read += 1) {
    endpoints.push(...readEndpoint(reading, url, operations[read] as Operation, hasPaid));
  }
  const info = member(document, "info");
  const tags = [
    ...new Set(operations.flatMap(({ operation }) => listOf(operation.tags).slice(0, MAX_TAGS))),
  ];
  return {
    kind: "openapi",
    url,
    label: `OpenAPI ${version.split(".").slice(0, 2).join(".")}, ${plural(pathCount, "path")}`,
    ...textsOf(info),
    ...(tags.length > 0 && {
      tags: tags.flatMap((tag) => cleanText(tag, 40) ?? []).slice(0, 10),
    }),
    endpoints,
    leftOut: operations.length - read + others,
  };
}

function textsOf(info: unknown) {
  const texts = {
    name: cleanText(member(info, "title"), 120),
    version: cleanText(member(info, "version"), 40),
    description: cleanText(member(info, "description") ?? member(info, "summary"), 4000),
    author: cleanText(member(member(info, "contact"), "name"), 120),
    license: cleanText(member(member(info, "license"), "name"), 120),
  };
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== undefined));
}

type Operation = { path: string; verb: string; item: Json; operation: Json };

/** The operations to read, and how many others there are. */
function findOperations(paths: Json, reading: Reading) {
  const operations: Operation[] = [];
  const names = Object.keys(paths);
  let others = Math.max(0, names.length - MAX_PATHS);
  for (const path of names.slice(0, MAX_PATHS)) {
    const found = operationsOf(reading, path, paths[path]);
    const room = MAX_OPERATIONS - operations.length;
    operations.push(...found.slice(0, room));
    others += Math.max(0, found.length - room);
  }
  return { operations, others };
}

function operationsOf(reading: Reading, path: string, given: unknown): Operation[] {
  const item = resolveReference(given, reading);
  if (!isJson(item) || !path.startsWith("/")) return [];
  return VERBS.flatMap((verb) => {
    const operation = member(item, verb);
    return isJson(operation) ? [{ path, verb, item, operation }] : [];
  });
}

function readEndpoint(
  reading: Reading,
  url: string,
  { path, verb, item, operation }: Operation,
  hasPaid: boolean,
): FoundEndpoint[] {
  const base = serverOf([operation, item, reading.root], url);
  const endpoint = base && readUrl(base.replace(/\/$/, "") + path);
  if (!endpoint) return [];
  const parameters = [item, operation].flatMap((one) =>
    listOf(one.parameters)
      .slice(0, MAX_PARTS)
      .map((given) => resolveReference(given, reading)),
  );
  const values = valuesOf(reading, parameters, "path");
  const query = valuesOf(
    reading,
    parameters.filter((one) => member(one, "required") === true),
    "query",
  );
  const search = new URLSearchParams(query).toString();
  const summary = cleanText(operation.summary ?? operation.operationId, 200);
  const sample = sampleBody(reading, operation);
  const isPayable = hasPaid ? asksForPayment(operation) : !HOUSEKEEPING.test(path);
  return [
    {
      verb: verb.toUpperCase(),
      url: search ? `${endpoint}?${search}` : endpoint,
      ...(summary && { summary }),
      ...(Object.keys(values).length > 0 && { values }),
      ...(sample !== undefined && { sample }),
      isPayable,
      isElsewhere: new URL(endpoint).origin !== new URL(url).origin,
      ...(answersAsStream(reading, operation) && { isStream: true }),
    },
  ];
}

/** The innermost server with its variables' defaults, or the document's origin. */
function serverOf(levels: unknown[], url: string): string | null {
  const [server] = levels.flatMap((level) => listOf(member(level, "servers")).slice(0, 1));
  if (server === undefined) return new URL(url).origin;
  const template = member(server, "url");
  if (typeof template !== "string") return new URL(url).origin;
  if (template.length > MAX_TEMPLATE) return null;
  const variables = member(server, "variables");
  const filled = template.replace(/\{([^{}]+)\}/g, (_whole, name: string) =>
    textOf(member(member(variables, name), "default")).slice(0, MAX_VALUE),
  );
  return readUrl(filled, url);
}

function valuesOf(reading: Reading, parameters: unknown[], place: string) {
  const values = parameters
    .filter((one) => {
      const name = member(one, "name");
      return member(one, "in") === place && typeof name === "string" && name.length <= MAX_VALUE;
    })
    .slice(0, 20)
    .map((one): [string, string] => {
      const given = member(one, "example") ?? exampleOf(reading, member(one, "examples"));
      const value = given ?? sampleValue(member(one, "schema"), reading) ?? 1;
      const texts = Array.isArray(value) ? value.slice(0, MAX_PARTS).map(textOf) : [textOf(value)];
      return [textOf(member(one, "name")), texts.join(",").slice(0, MAX_VALUE)];
    });
  return Object.fromEntries(values);
}

function exampleOf(reading: Reading, examples: unknown): unknown {
  const [first] = entriesOf(isJson(examples) ? examples : {}, reading);
  return member(resolveReference(first?.[1], reading), "value");
}

function sampleBody(reading: Reading, operation: Json): string | undefined {
  const body = resolveReference(operation.requestBody, reading);
  const content = member(body, "content");
  const [, media] =
    entriesOf(content, reading).find(([type]) => /[/+]json\b/.test(type.slice(0, MAX_VALUE))) ?? [];
  if (!isJson(media)) return undefined;
  const given = media.example ?? exampleOf(reading, media.examples);
  const value = given ?? sampleValue(media.schema, reading);
  return shortJson(value ?? {}, MAX_SAMPLE, reading);
}

const asksForPayment = (operation: Json): boolean =>
  Object.hasOwn(isJson(operation.responses) ? operation.responses : {}, "402") ||
  ["x-payment", "x-payment-info", "x-x402", "x-402"].some((key) => Object.hasOwn(operation, key));

function answersAsStream(reading: Reading, operation: Json): boolean {
  const responses = entriesOf(operation.responses, reading).slice(0, MAX_PARTS);
  return responses.some(([, response]) => {
    const content = member(resolveReference(response, reading), "content");
    return isJson(content) && Object.hasOwn(content, "text/event-stream");
  });
}

const resolveMap = (value: unknown): Json => (isJson(value) ? value : {});
