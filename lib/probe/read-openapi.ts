import { plural } from "@/lib/text/plural.ts";
import { MAX_ENDPOINTS } from "./definition.ts";
import { cleanText, isJson, type Json, listOf, member, readUrl } from "./foreign-text.ts";
import type { AgentDefinition, FoundEndpoint } from "./report/discovery.ts";
import { resolveReference, sampleValue } from "./sample-value.ts";

const VERBS = ["get", "post", "put", "patch", "delete", "head"];
/** Housekeeping paths that agents do not sell. */
const HOUSEKEEPING =
  /(^|\/)(health(z|check)?|ready|live(ness)?|ping|status|metrics|version|docs?|redoc|swagger|openapi(\.(json|ya?ml))?|favicon\.ico|robots\.txt|\.well-known|login|logout|token|auth)(\/|$)/i;

/** Reads an OpenAPI 3 document; null for any other document. */
export function readOpenApi(document: unknown, url: string): AgentDefinition | null {
  const version = member(document, "openapi");
  if (typeof version !== "string" || !/^3\.\d/.test(version)) return null;
  const paths = Object.entries(resolveMap(member(document, "paths")));
  const operations = paths.flatMap(([path, item]) => operationsOf(document, path, item));
  const hasPaid = operations.some(({ operation }) => asksForPayment(operation));
  const endpoints = operations.flatMap((one) => readEndpoint(document, url, one, hasPaid));
  const info = member(document, "info");
  const tags = [...new Set(operations.flatMap(({ operation }) => listOf(operation.tags)))];
  return {
    kind: "openapi",
    url,
    label: `OpenAPI ${version.split(".").slice(0, 2).join(".")}, ${plural(paths.length, "path")}`,
    ...textsOf(info),
    ...(tags.length > 0 && {
      tags: tags.flatMap((tag) => cleanText(tag, 40) ?? []).slice(0, 10),
    }),
    endpoints: endpoints.slice(0, MAX_ENDPOINTS),
    leftOut: Math.max(0, endpoints.length - MAX_ENDPOINTS),
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

function operationsOf(document: unknown, path: string, given: unknown): Operation[] {
  const item = resolveReference(given, document);
  if (!isJson(item) || !path.startsWith("/")) return [];
  return VERBS.flatMap((verb) => {
    const operation = member(item, verb);
    return isJson(operation) ? [{ path, verb, item, operation }] : [];
  });
}

function readEndpoint(
  document: unknown,
  url: string,
  { path, verb, item, operation }: Operation,
  hasPaid: boolean,
): FoundEndpoint[] {
  const base = serverOf([operation, item, document], url);
  const endpoint = base && readUrl(base.replace(/\/$/, "") + path);
  if (!endpoint) return [];
  const parameters = [...listOf(item.parameters), ...listOf(operation.parameters)].map((one) =>
    resolveReference(one, document),
  );
  const values = valuesOf(document, parameters, "path");
  const query = valuesOf(
    document,
    parameters.filter((one) => member(one, "required") === true),
    "query",
  );
  const search = new URLSearchParams(query).toString();
  const summary = cleanText(operation.summary ?? operation.operationId, 200);
  const sample = sampleBody(document, operation);
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
      ...(answersAsStream(document, operation) && { isStream: true }),
    },
  ];
}

/** The innermost server with its variables' defaults, or the document's origin. */
function serverOf(levels: unknown[], url: string): string | null {
  const [server] = levels.flatMap((level) => listOf(member(level, "servers")).slice(0, 1));
  if (server === undefined) return new URL(url).origin;
  const template = member(server, "url");
  if (typeof template !== "string") return new URL(url).origin;
  const variables = member(server, "variables");
  const filled = template.replace(/\{([^}]+)\}/g, (_whole, name: string) =>
    String(member(member(variables, name), "default") ?? ""),
  );
  return readUrl(filled, url);
}

function valuesOf(document: unknown, parameters: unknown[], place: string) {
  const values = parameters
    .filter((one) => member(one, "in") === place && typeof member(one, "name") === "string")
    .slice(0, 20)
    .map((one): [string, string] => {
      const given = member(one, "example") ?? exampleOf(document, member(one, "examples"));
      const value = given ?? sampleValue(member(one, "schema"), document) ?? 1;
      return [String(member(one, "name")), String(value).slice(0, 200)];
    });
  return Object.fromEntries(values);
}

function exampleOf(document: unknown, examples: unknown): unknown {
  const [first] = Object.values(isJson(examples) ? examples : {});
  return member(resolveReference(first, document), "value");
}

function sampleBody(document: unknown, operation: Json): string | undefined {
  const body = resolveReference(operation.requestBody, document);
  const content = member(body, "content");
  const [, media] =
    Object.entries(isJson(content) ? content : {}).find(([type]) => /[/+]json\b/.test(type)) ?? [];
  if (!isJson(media)) return undefined;
  const given = media.example ?? exampleOf(document, media.examples);
  const value = given ?? sampleValue(media.schema, document);
  const text = JSON.stringify(value ?? {});
  return text.length <= 10_000 ? text : undefined;
}

const asksForPayment = (operation: Json): boolean =>
  Object.hasOwn(isJson(operation.responses) ? operation.responses : {}, "402") ||
  ["x-payment", "x-payment-info", "x-x402", "x-402"].some((key) => Object.hasOwn(operation, key));

function answersAsStream(document: unknown, operation: Json): boolean {
  const responses = isJson(operation.responses) ? Object.values(operation.responses) : [];
  return responses.some((response) => {
    const content = member(resolveReference(response, document), "content");
    return isJson(content) && Object.hasOwn(content, "text/event-stream");
  });
}

const resolveMap = (value: unknown): Json => (isJson(value) ? value : {});
