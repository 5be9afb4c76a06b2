import type { Logger } from "../logger.ts";
import type { Refusal } from "../refusals.ts";

/**
 * The refusal of requests that a route's `credits` function cannot read. What it throws is logged once of a kind: a caller may
 * be wrong many times, and a function as well.
 */
export function createUnpriced(logger: Logger) {
  const logged = new Set<string>();
  return function refuseUnpriced(route: string, { name, message: reason }: Error): Refusal {
    const kind = `${route} ${name}`;
    if (!logged.has(kind)) {
      logged.add(kind);
      logger.error("`credits` could not read a request, which is 400.", { route, reason });
    }
    return {
      kind: "refused",
      httpStatus: 400,
      body: {
        error: "Bad Request",
        code: "invalid_input",
        reason: "no price",
        retryable: false,
        message:
          "The price of this request could not be read from its body; nothing was charged. Send a body of the form that the route expects.",
      },
    };
  };
}
