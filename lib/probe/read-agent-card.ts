import { plural } from "@/lib/text/plural.ts";
import { textOf } from "@/lib/text/text-of.ts";
import { MAX_ENDPOINTS } from "./definition.ts";
import { cleanText, isJson, listOf, member, readUrl } from "./foreign-text.ts";
import type { AgentDefinition, FoundEndpoint } from "./report/discovery.ts";

const MAX_TAGS = 100;
const FIRST_MESSAGE = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "message/send",
  params: { message: { role: "user", messageId: "1", parts: [{ kind: "text", text: "Hello" }] } },
});

/** Reads an A2A agent card; null for any other document. */
export function readAgentCard(document: unknown, url: string): AgentDefinition | null {
  if (!isJson(document) || !Array.isArray(document.skills)) return null;
  if (typeof document.name !== "string") return null;
  const interfaces = [document.supportedInterfaces, document.additionalInterfaces]
    .flatMap((given) => listOf(given).slice(0, MAX_ENDPOINTS))
    .filter(
      (one) => !/grpc/i.test(textOf(member(one, "transport") ?? member(one, "protocolBinding"))),
    );
  const places = [document.url, ...interfaces.map((one) => member(one, "url"))];
  const urls = [...new Set(places.flatMap((place) => readUrl(place, url) ?? []))];
  const isStream = member(document.capabilities, "streaming") === true;
  const tags = document.skills
    .flatMap((skill) => listOf(member(skill, "tags")).slice(0, MAX_TAGS))
    .slice(0, MAX_TAGS);
  const texts = {
    name: cleanText(document.name, 120),
    version: cleanText(document.version, 40),
    description: cleanText(document.description, 4000),
    author: cleanText(member(document.provider, "organization"), 120),
  };
  return {
    kind: "a2a",
    url,
    label: `A2A card, ${plural(document.skills.length, "skill")}`,
    ...Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== undefined)),
    ...(tags.length > 0 && {
      tags: [...new Set(tags.flatMap((tag) => cleanText(tag, 40) ?? []))].slice(0, 10),
    }),
    endpoints: urls.slice(0, 10).map(
      (place): FoundEndpoint => ({
        verb: "POST",
        url: place,
        summary: "A2A messages",
        sample: FIRST_MESSAGE,
        isPayable: true,
        isElsewhere: new URL(place).origin !== new URL(url).origin,
        ...(isStream && { isStream }),
      }),
    ),
    leftOut: 0,
  };
}
