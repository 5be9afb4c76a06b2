/**
 * A text, alone or below `base`, as a URL; null where it is none. Not by `URL.canParse`: that of Node 20 refuses letters such as
 * `ü` and `é` once the code around it was compiled.
 *
 * @example parseUrl("https://bücher.example")?.host // "xn--bcher-kva.example"
 */
export function parseUrl(text: string, base?: string | URL): URL | null {
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}

/** Whether a text, alone or below `base`, is a URL. */
export const canParseUrl = (text: string, base?: string | URL): boolean =>
  parseUrl(text, base) !== null;
