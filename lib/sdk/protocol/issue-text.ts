import type * as z from "zod/mini";

/**
 * The message of an issue whose schema has none: `zod/mini` brings no messages, and its English ones weigh more than
 * the rest of the client's words.
 */
export function localeError(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return `Expected ${issue.expected}, got ${issue.input === undefined ? "nothing" : kindOf(issue.input)}.`;
    case "invalid_value":
      return `Expected ${issue.values.map((value) => JSON.stringify(value)).join(" or ")}.`;
    case "too_big":
      return `Expected at most ${issue.maximum}${unitOf(issue.origin)}.`;
    case "too_small":
      return `Expected at least ${issue.minimum}${unitOf(issue.origin)}.`;
    case "unrecognized_keys":
      return `Unknown field: ${issue.keys.join(", ")}.`;
    case "invalid_format":
      if (issue.format === "datetime") return "Expected an instant such as 2026-11-28T12:00:00Z.";
      return `Expected ${issue.pattern ?? issue.format}.`;
    default:
      return "Not a valid value.";
  }
}

/**
 * Reads with the protocol's words for what is wrong, whatever words an app, or all of zod, has set for itself.
 *
 * @example schema.safeParse(input, ISSUE_WORDS)
 */
export const ISSUE_WORDS = { error: localeError };

const kindOf = (value: unknown) =>
  value === null ? "null" : Array.isArray(value) ? "array" : typeof value;

const unitOf = (origin: string) =>
  origin === "string" ? " characters" : origin === "array" ? " items" : "";
