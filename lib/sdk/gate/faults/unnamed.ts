import { PAYMENT_IDENTIFIER } from "../../protocol/x402-headers.ts";
import type { Logger } from "../logger.ts";
import type { Refusal } from "../refusals.ts";
import { badRequest } from "./bad-request.ts";
import { logOnce } from "./log-once.ts";

/** Why a request cannot be named by its id, or told from another one under it. */
export type Unnamed = { fault: keyof typeof MESSAGES; maxBytes?: number };

const MESSAGES = {
  key: "`Idempotency-Key` must be 1 to 255 visible ASCII characters, sent once.",
  identifier: `The extension \`${PAYMENT_IDENTIFIER}\` must have 16 to 128 letters, digits, '_' or '-' in \`info.id\`.`,
  both: `\`Idempotency-Key\` and \`${PAYMENT_IDENTIFIER}\` name two different ids.`,
  long: "The body is longer than {limit} bytes, the most that a request with an id or a signature may have here. Send a smaller body, or ask the agent’s builder to raise the gate’s `maxBodyBytes`.",
  used: "The body was read before the gate, which can’t tell a request with an id from another one then. The agent’s builder must put the gate before what reads the body.",
  deep: "The content of a request with an id is nested deeper than 200 levels. Send it with fewer levels.",
  broken: "The body broke off. Send the request again.",
};

/** The 400 for an id that cannot name its request. What the seller can fix is logged once per route. */
export function refuseUnnamed(
  { fault, maxBytes = 0 }: Unnamed,
  route: string,
  logger: Logger,
): Refusal {
  const message = MESSAGES[fault].replace("{limit}", maxBytes.toLocaleString("en-US"));
  if (fault === "long" || fault === "used") {
    const what = "Requests with an id are refused because of their body.";
    logOnce(logger, `${fault} ${route}`, what, { route, reason: message });
  }
  return badRequest("invalid request id", message, fault === "broken");
}
