import { PaymentsError } from "../protocol/errors.ts";
import { readJson } from "../protocol/json.ts";
import { AGENT_LIMITS } from "./reach-agent.ts";
import type { VerbArguments } from "./verb.ts";
import { text } from "./words.ts";

/** The inputs that say which request to send. */
export const CALLED = {
  url: { type: "string", description: `The agent's URL. ${AGENT_LIMITS}` },
  method: { type: "string", description: "The HTTP method. Default: POST with a body, else GET." },
  body: { type: "string", description: "The request's body." },
  header: { type: "array", description: "A header, as `name: value`. May be repeated." },
} as const;

const MAX_HEADERS = 100;
const MAX_HEADER = 16_384;
const NAME = /^[!#$%&'*+.^_`|~\w-]+$/;
/** What a value may contain: no line breaks or other control characters. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

export function requestOf({ url, method, body, header }: VerbArguments): Request {
  const headers = readHeaders(Array.isArray(header) ? header : []);
  const verb = text(method)?.toUpperCase() ?? (body === undefined ? "GET" : "POST");
  if (!headers.has("content-type") && body !== undefined && readJson(String(body)) !== undefined) {
    headers.set("content-type", "application/json");
  }
  try {
    return new Request(String(url), {
      method: verb,
      headers,
      ...(body !== undefined && { body: String(body) }),
    });
  } catch {
    throw new PaymentsError(
      "invalid_input",
      `${JSON.stringify(String(url))} cannot be called with ${verb}.`,
    );
  }
}

function readHeaders(lines: readonly string[]): Headers {
  const refuse = (message: string): never => {
    throw new PaymentsError("invalid_input", message);
  };
  if (lines.length > MAX_HEADERS) refuse(`A call has at most ${MAX_HEADERS} headers.`);
  const headers = new Headers();
  for (const line of lines) {
    if (line.length > MAX_HEADER) refuse(`A header has at most ${MAX_HEADER} characters.`);
    const colon = line.indexOf(":");
    const [name, value] = [line.slice(0, Math.max(colon, 0)), line.slice(colon + 1).trim()];
    if (!NAME.test(name) || !VALUE.test(value)) {
      refuse(`A header is \`name: value\`, not ${JSON.stringify(line.slice(0, 100))}.`);
    }
    headers.append(name, value);
  }
  return headers;
}
