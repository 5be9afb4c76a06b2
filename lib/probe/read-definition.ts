import { isJson, member } from "./foreign-text.ts";
import { readAgentCard } from "./read-agent-card.ts";
import { readMcpManifest } from "./read-mcp-manifest.ts";
import { readOpenApi } from "./read-openapi.ts";
import type { AgentDefinition } from "./report/discovery.ts";

export type ReadDefinition =
  | { found: AgentDefinition }
  /** What the document is instead. */
  | { other: string };

/** Schemas nest deeper than other documents. */
const MAX_LEVELS = 500;
/** Parsing 5 MiB of short ones takes a second, in which the process does nothing else. */
const MAX_VALUES = 200_000;

/** Recognises OpenAPI 3, A2A cards and MCP manifests by their content. */
export function readDefinition(text: string, url: string): ReadDefinition {
  const json = text.replace(/^\ufeff/, "");
  const fault = /^\s*[{[]/.test(json) ? findFault(json) : null;
  if (fault) return { other: fault };
  const document = parse(json);
  if (document === undefined) return { other: describeText(text) };
  const found =
    readOpenApi(document, url) ?? readAgentCard(document, url) ?? readMcpManifest(document, url);
  if (found) return { found };
  if (typeof member(document, "swagger") === "string") return { other: "Swagger 2, not OpenAPI 3" };
  if (typeof member(document, "openapi") === "string") return { other: "another OpenAPI version" };
  return { other: isJson(document) ? "unknown JSON" : "not a definition" };
}

/** Why JSON is not parsed, told by its brackets and commas: it costs its values, whatever they are. */
function findFault(json: string): string | null {
  let values = 0;
  let level = 0;
  let isText = false;
  for (let at = 0; at < json.length; at++) {
    const char = json[at];
    if (isText) {
      if (char === "\\") at++;
      else if (char === '"') isText = false;
    } else if (char === '"') isText = true;
    else if (char === ",") values++;
    else if (char === "{" || char === "[") {
      values++;
      if (++level > MAX_LEVELS) return "JSON that nests too deeply";
    } else if (char === "}" || char === "]") level--;
    if (values > MAX_VALUES)
      return `JSON with more than ${MAX_VALUES.toLocaleString("en-US")} values`;
  }
  return null;
}

/** `readJson` would not tell JSON that nests too deeply from other text. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function describeText(text: string): string {
  const start = text.trimStart().slice(0, 200);
  if (start === "") return "empty";
  if (/^(openapi|swagger)\s*:/m.test(start)) return "YAML; only JSON is supported";
  if (/^<(!doctype html|html)/i.test(start)) return "an HTML page";
  return "not JSON";
}
