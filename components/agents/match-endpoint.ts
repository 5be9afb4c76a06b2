import {
  canParseUrl,
  isParameter,
  matchesSegments,
  normalizePath,
  pathOf,
} from "@turnpike/payments/protocol";

export type EndpointMatch = { index: number; captures: { name: string; value: string }[] };

/** The first endpoint that matches a URL, by the gate's own rules, with the values of its placeholders. */
export function matchEndpoint(urls: readonly string[], url: string): EndpointMatch | null {
  const segments = normalizePath(pathOf(url.trim()));
  if (!segments) return null;
  const origin = originOf(url.trim());
  for (const [index, pattern] of urls.entries()) {
    const parts = pathOf(pattern).split("/").filter(Boolean).map(withBraces);
    const isHere = origin === null || originOf(pattern) === null || originOf(pattern) === origin;
    if (!isHere || !matchesSegments(parts, segments)) continue;
    const captures = parts.flatMap((part, at) =>
      isParameter(part) ? [{ name: part, value: segments[at] as string }] : [],
    );
    return { index, captures };
  }
  return null;
}

const originOf = (url: string): string | null => (canParseUrl(url) ? new URL(url).origin : null);
const withBraces = (part: string) => part.replace(/%7B/gi, "{").replace(/%7D/gi, "}");

export type UrlPart = { text: string; isPlaceholder: boolean };

export function partsOfPath(url: string): UrlPart[] {
  const path = pathOf(url);
  return path
    .split(/(\{[^{}/]+\}|(?<=\/):[A-Za-z_]\w*)/)
    .filter((text) => text !== "")
    .map((text) => ({ text, isPlaceholder: /^(\{.+\}|:\w+)$/.test(text) }));
}
