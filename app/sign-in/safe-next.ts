import { canParseUrl } from "@turnpike/payments/protocol";

const FALLBACK = "/home";

/**
 * Where to go after signing in: a path of this site, or home. Text that a browser would read as another
 * site's address (`//evil`, `/\evil`, `/%09/evil` decoded) is rejected.
 */
export function safeNext(next: string | undefined): string {
  if (!next?.startsWith("/") || /[\\\s\p{Cc}]/u.test(next)) return FALLBACK;
  const here = "https://turnpike.invalid";
  if (!canParseUrl(next, here)) return FALLBACK;
  const url = new URL(next, here);
  if (url.origin !== here || url.pathname.startsWith("//")) return FALLBACK;
  return url.pathname + url.search;
}
