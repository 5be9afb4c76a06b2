export const SESSION_COOKIE = "turnpike-session";

/**
 * A cookie's whole name: with HTTPS, the `__Host-` prefix keeps other hosts and paths from planting one.
 *
 * @example cookieName(SESSION_COOKIE, "https://pay.example") // "__Host-turnpike-session"
 */
export const cookieName = (name: string, origin: string): string =>
  origin.startsWith("https:") ? `__Host-${name}` : name;
