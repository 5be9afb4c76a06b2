import { PaymentsError } from "../protocol/errors.ts";
import { readJson } from "../protocol/json.ts";
import type { VerbArguments } from "./verb.ts";
import { text } from "./words.ts";

/** The inputs that say which request to send. */
export const CALLED = {
  url: { type: "string", description: "The agent's URL." },
  method: { type: "string", description: "The HTTP method. Default: POST with a body, else GET." },
  body: { type: "string", description: "The request's body." },
  header: { type: "array", description: "A header, as `name: value`. May be repeated." },
} as const;

export function requestOf({ url, method, body, header }: VerbArguments): Request {
  const headers = new Headers();
  for (const line of Array.isArray(header) ? header : []) {
    const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):\s*(.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) {
      throw new PaymentsError(
        "invalid_input",
        `A header is \`name: value\`, not ${JSON.stringify(line)}.`,
      );
    }
    headers.append(name, value);
  }
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
