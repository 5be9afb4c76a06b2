import type { ErrorDetail } from "@turnpike/payments/protocol";
import { inFormWords } from "./form-words.ts";

/**
 * Matches an error's details with the fields of a form: by the whole path, else by its longest tail, so
 * that `metadataAttributes.name` finds `name`. Returns the first message of each field.
 */
export function fieldsOfError(
  details: readonly ErrorDetail[],
  fields: readonly string[],
): Map<string, string> {
  const found = new Map<string, string>();
  for (const { path, message } of details) {
    const parts = path.split(".");
    const field = parts.map((_, from) => parts.slice(from).join(".")).find(isIn(fields));
    if (field !== undefined && !found.has(field)) found.set(field, inFormWords(message));
  }
  return found;
}

const isIn = (fields: readonly string[]) => (name: string) => fields.includes(name);
