import { textOf } from "@/lib/text/text-of.ts";
import { isJson, type Json, listOf } from "./foreign-text.ts";
import { entriesOf, type Reading, resolveReference } from "./reading.ts";

const MAX_DEPTH = 6;
const MAX_MEMBERS = 30;

/** A small, deterministic value that matches a JSON schema of the document that is read; null once that was too much. */
export function sampleValue(schema: unknown, reading: Reading, depth = 0): unknown {
  reading.left -= 1;
  const resolved = resolveReference(schema, reading);
  if (!isJson(resolved) || depth > MAX_DEPTH || reading.left <= 0) return null;
  for (const key of ["example", "default", "const"]) {
    if (Object.hasOwn(resolved, key)) return resolved[key];
  }
  const first = firstOf(resolved.examples, resolved.enum);
  if (first !== undefined) return first;
  const parts = listOf(resolved.allOf).slice(0, MAX_MEMBERS);
  if (parts.length > 0) {
    const values = parts.map((part) => sampleValue(part, reading, depth + 1)).filter(isJson);
    return Object.fromEntries([
      ...values.flatMap((value) => entriesOf(value, reading)),
      ...Object.entries(sampleObject(resolved, reading, depth)),
    ]);
  }
  const choice = firstOf(resolved.oneOf, resolved.anyOf);
  if (choice !== undefined) return sampleValue(choice, reading, depth + 1);
  const type = listOf(resolved.type)
    .slice(0, MAX_MEMBERS)
    .find((one) => one !== "null");
  switch (type ?? resolved.type) {
    case "string":
      return sampleText(resolved);
    case "integer":
    case "number":
      return typeof resolved.minimum === "number" ? resolved.minimum : 1;
    case "boolean":
      return true;
    case "array":
      return [sampleValue(resolved.items, reading, depth + 1)];
    case "null":
      return null;
    default:
      return isJson(resolved.properties) || resolved.type === "object"
        ? sampleObject(resolved, reading, depth)
        : null;
  }
}

const firstOf = (...lists: unknown[]): unknown =>
  lists.map(listOf).find((list) => list.length > 0)?.[0];

const TEXTS = new Map([
  ["date-time", "2026-01-01T00:00:00Z"],
  ["date", "2026-01-01"],
  ["email", "someone@example.com"],
  ["uri", "https://example.com/"],
  ["url", "https://example.com/"],
  ["uuid", "00000000-0000-4000-8000-000000000000"],
]);

function sampleText(schema: Json): string {
  const text = TEXTS.get(textOf(schema.format)) ?? "text";
  const shortest = Number(textOf(schema.minLength)) || 0;
  return text.padEnd(Math.min(shortest, 200), "x");
}

function sampleObject(schema: Json, reading: Reading, depth: number): Json {
  const required = new Set(entriesOf(listOf(schema.required), reading).map(([, name]) => name));
  const properties = isJson(schema.properties) ? schema.properties : {};
  const shown = entriesOf(properties, reading).filter(
    ([name]) => required.size === 0 || required.has(name),
  );
  return Object.fromEntries(
    shown
      .slice(0, MAX_MEMBERS)
      .map(([name, property]) => [name, sampleValue(property, reading, depth + 1)]),
  );
}
