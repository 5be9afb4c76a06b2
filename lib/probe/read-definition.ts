import { isTooDeep } from "@turnpike/payments/protocol";
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

/** Recognises OpenAPI 3, A2A cards and MCP manifests by their content. */
export function readDefinition(text: string, url: string): ReadDefinition {
  const document = parse(text.replace(/^\ufeff/, ""));
  if (document === undefined) return { other: describeText(text) };
  if (isTooDeep(document, MAX_LEVELS)) return { other: "JSON that nests too deeply" };
  const found =
    readOpenApi(document, url) ?? readAgentCard(document, url) ?? readMcpManifest(document, url);
  if (found) return { found };
  if (typeof member(document, "swagger") === "string") return { other: "Swagger 2, not OpenAPI 3" };
  if (typeof member(document, "openapi") === "string") return { other: "another OpenAPI version" };
  return { other: isJson(document) ? "unknown JSON" : "not a definition" };
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
