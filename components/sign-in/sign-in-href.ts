/** The sign-in page, which leads back to where the visitor is. A full load leaves nothing of an ended session on the page. */
export function signInHref(): string {
  const { pathname, search, hash } = window.location;
  return `/sign-in?next=${encodeURIComponent(pathname + search)}${hash}`;
}
