/** A URL's path in its parts: what follows the origin, up to the query. */
const partsOf = (url: string): string[] =>
  url
    .replace(/^[a-z]+:\/\/[^/?#]*/i, "")
    .replace(/[?#].*$/, "")
    .split("/");

const isPlaceholder = (part: string) => /^:.+|^\{.+\}$/.test(part);
const plain = (verb: string) => (verb === "HEAD" ? "GET" : verb);

/** Whether two URLs have one path; a requirement without a URL has none. */
export const samePath = (bound: string, url: string | undefined): boolean =>
  url !== undefined && partsOf(bound).join("/") === partsOf(url).join("/");

/** Whether verb and path fit a registered endpoint: placeholders by position, HEAD as GET, only paths compared. */
export function fitsEndpoint(
  endpoint: { verb: string; url: string },
  verb: string | undefined,
  url: string | undefined,
): boolean {
  if (verb !== undefined && plain(endpoint.verb) !== plain(verb)) return false;
  if (url === undefined) return true;
  const wanted = partsOf(endpoint.url);
  const asked = partsOf(url);
  return (
    wanted.length === asked.length &&
    wanted.every((part, at) => part === asked[at] || (isPlaceholder(part) && asked[at] !== ""))
  );
}
