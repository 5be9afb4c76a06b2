import { readJson } from "@turnpike/payments/protocol";

/** A JSON text with indentation; other text as it is. */
export function prettyJson(text: string): string {
  const value = readJson(text);
  return value === undefined ? text : JSON.stringify(value, null, 2);
}
