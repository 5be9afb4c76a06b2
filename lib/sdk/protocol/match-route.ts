/** A route key `METHOD /path`, taken apart once. */
export type RoutePattern = { method: string; segments: string[] };

/**
 * The path as a router reads it: percent-decoded, without empty and dot segments; `null` when it
 * cannot be decoded, which callers answer with 400 and never let pass.
 */
export function normalizePath(path: string): string[] | null {
  if (path.includes("\\") || path.includes("\0")) return null;
  const segments: string[] = [];
  for (const raw of path.split("/")) {
    const segment = decodeSegment(raw);
    if (segment === null || segment.includes("/") || segment.includes("\\")) return null;
    if (segment === "" || segment === ".") continue;
    if (segment === "..") segments.pop();
    else segments.push(segment);
  }
  return segments;
}

function decodeSegment(raw: string): string | null {
  try {
    const decoded = decodeURIComponent(raw);
    return decoded.includes("\0") ? null : decoded;
  } catch {
    return null;
  }
}

/** The pattern of a route key such as `POST /threads/:id/runs/{run}` (§4.5), or `null` if malformed. */
export function parseRouteKey(key: string): RoutePattern | null {
  const [, method, path] = /^([A-Za-z]+) +(\/.*)$/.exec(key) ?? [];
  if (!method || !path) return null;
  return { method: method.toUpperCase(), segments: path.split("/").filter(Boolean) };
}

/** Whether a path segment of a pattern stands for any value: `:param` or `{param}`. */
export const isParameter = (segment: string): boolean =>
  segment.startsWith(":") || (segment.startsWith("{") && segment.endsWith("}"));

/** Whether normalised path segments fit a pattern's, parameters by position. */
export function matchesSegments(pattern: readonly string[], segments: readonly string[]): boolean {
  return (
    pattern.length === segments.length &&
    pattern.every((part, index) => isParameter(part) || part === segments[index])
  );
}

/** Whether a request of this method is meant by a route of that method; HEAD counts as GET. */
export const matchesMethod = (pattern: string, method: string): boolean =>
  pattern === method || (pattern === "GET" && method === "HEAD");

/** The path of a URL that may be absolute or a bare path, without query and fragment. */
export function pathOf(url: string): string {
  const [withoutQuery = ""] = url.split(/[?#]/, 1);
  const afterOrigin = /^[a-z][a-z0-9+.-]*:\/\/[^/]*(.*)$/i.exec(withoutQuery);
  const path = afterOrigin ? (afterOrigin[1] as string) : withoutQuery;
  return path.startsWith("/") ? path : `/${path}`;
}
