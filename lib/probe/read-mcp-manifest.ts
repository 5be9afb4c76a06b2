import { plural } from "@/lib/text/plural.ts";
import { MAX_ENDPOINTS } from "./definition.ts";
import { cleanText, isJson, type Json, listOf, member, readUrl } from "./foreign-text.ts";
import type { AgentDefinition, FoundEndpoint } from "./report/discovery.ts";

/** Addresses that are read. */
const MAX_PLACES = 1_000;
const FIRST_CALL = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });

/** Reads an MCP manifest of a server, a registry or a client; null for any other document. */
export function readMcpManifest(document: unknown, url: string): AgentDefinition | null {
  if (!isJson(document) || "openapi" in document || "skills" in document) return null;
  const servers = member(document, "mcpServers") ?? member(document, "servers");
  const given = [
    document.url,
    document.endpoint,
    member(document.transport, "url") ?? member(document.transport, "endpoint"),
    ...[
      ...listOf(document.remotes),
      ...listOf(document.transports),
      ...listOf(document.endpoints),
    ].map((one) => (typeof one === "string" ? one : member(one, "url"))),
    ...(isJson(servers)
      ? Object.values(servers)
          .slice(0, MAX_PLACES)
          .map((one) => member(one, "url"))
      : []),
  ];
  const places = given.slice(0, MAX_PLACES);
  const tools = listOf(document.tools);
  const isManifest =
    isJson(servers) ||
    Array.isArray(document.tools) ||
    Array.isArray(document.remotes) ||
    isJson(document.transport) ||
    isJson(document.serverInfo) ||
    ("protocolVersion" in document && "capabilities" in document);
  if (!isManifest) return null;
  const urls = [...new Set(places.flatMap((place) => readUrl(place, url) ?? []))];
  const about = isJson(document.serverInfo) ? document.serverInfo : document;
  const endpoints = urls.map((place) => callEndpoint(place, url));
  return {
    kind: "mcp",
    url,
    label: `MCP manifest, ${tools.length > 0 ? plural(tools.length, "tool") : plural(endpoints.length, "server")}`,
    ...textsOf(about),
    endpoints: endpoints.slice(0, MAX_ENDPOINTS),
    leftOut: Math.max(0, endpoints.length - MAX_ENDPOINTS),
  };
}

const callEndpoint = (place: string, url: string): FoundEndpoint => ({
  verb: "POST",
  url: place,
  summary: "MCP over HTTP",
  sample: FIRST_CALL,
  isPayable: true,
  isElsewhere: new URL(place).origin !== new URL(url).origin,
  isStream: true,
});

function textsOf(about: Json) {
  const texts = {
    name: cleanText(about.title ?? about.name, 120),
    version: cleanText(about.version, 40),
    description: cleanText(about.description, 4000),
    author: cleanText(member(about.author, "name") ?? about.author ?? about.vendor, 120),
    license: cleanText(about.license, 120),
  };
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== undefined));
}
