/**
 * Keeps Next from writing a stack for each request whose client leaves before its body has come: anyone can, as often as they
 * may ask, and nothing failed. Call before Next starts.
 *
 * @example hideAborts(console);
 */
export function hideAborts(scope: Pick<Console, "error">): void {
  const write = scope.error.bind(scope);
  scope.error = (...said) => {
    if (!isAbort(said[0])) write(...said);
  };
}

/** As Node.js says it of a request. A connection to elsewhere is reset with another message. */
const isAbort = (cause: unknown): boolean =>
  cause instanceof Error &&
  cause.message === "aborted" &&
  (cause as NodeJS.ErrnoException).code === "ECONNRESET";
