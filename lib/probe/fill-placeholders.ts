const PLACEHOLDER = /\{([^{}/]+)\}|(?<=\/):([A-Za-z_]\w*)/g;

/** The names of `:name` and `{name}` placeholders in a URL's path, in order. */
export const placeholdersOf = (url: string): string[] =>
  Array.from(
    pathPart(url).matchAll(PLACEHOLDER),
    ([, braced, colon]) => (braced ?? colon) as string,
  );

/** Replaces each placeholder with its value, or with `fallback`. */
export function fillPlaceholders(
  url: string,
  values: Readonly<Record<string, string>> = {},
  fallback = "1",
): string {
  const path = pathPart(url);
  const filled = path.replace(PLACEHOLDER, (_whole, braced?: string, colon?: string) => {
    const name = (braced ?? colon) as string;
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    return encodeURIComponent(value || fallback);
  });
  return url.replace(path, () => filled);
}

/** From the first slash after the host to the query. */
function pathPart(url: string): string {
  const [, path = ""] = /^[a-z]+:\/\/[^/?#]*([^?#]*)/i.exec(url) ?? [];
  return path;
}
