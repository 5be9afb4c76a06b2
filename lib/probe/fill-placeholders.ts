const PLACEHOLDER = /\{([^{}/]+)\}|(?<=\/):([A-Za-z_]\w*)/g;

/** Names of the placeholders in a URL's path, `:name` and `{name}`, in order. */
export const placeholdersOf = (url: string): string[] =>
  Array.from(
    pathPart(url).matchAll(PLACEHOLDER),
    ([, braced, colon]) => (braced ?? colon) as string,
  );

/** The URL with a value for each placeholder: the one given, or `fallback`. */
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
