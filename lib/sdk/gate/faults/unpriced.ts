import { PaymentsError } from "../../protocol/errors.ts";
import { toJson } from "../../protocol/json.ts";
import type { Logger } from "../logger.ts";
import type { Refusal } from "../refusals.ts";
import { badRequest } from "./bad-request.ts";

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
    return badRequest(
      "no price",
      "The price of this request could not be read from its body; nothing was charged. Send a body of the form that the route expects. It must be uncompressed and in UTF-8, and its `content-type` must be its own.",
    );
  };
}

const MOST_SHOWN = 100;

/** The error of a `credits` function that returned what is no price. */
export function wrongCredits(value: unknown): PaymentsError {
  return new PaymentsError(
    "invalid_amount",
    `\`credits\` returned ${shownIn(value)}, so callers get 500. Return a whole number of at least 1; leave requests that cost nothing off the gate's routes.`,
  );
}

/** A function may give back what a caller sent, which is not to fill the log. */
function shownIn(value: unknown): string {
  let text: string | undefined;
  try {
    text = typeof value === "object" || typeof value === "string" ? toJson(value) : undefined;
  } catch {}
  return (text ?? String(value)).slice(0, MOST_SHOWN);
}
