import { isJson, type Json, listOf, member } from "./foreign-text.ts";

const MAX_DEPTH = 6;
const MAX_MEMBERS = 30;

/** A small, deterministic value that matches a JSON schema; references are resolved in `root`. */
export function sampleValue(schema: unknown, root: unknown, depth = 0): unknown {
  const resolved = resolveReference(schema, root);
  if (!isJson(resolved) || depth > MAX_DEPTH) return null;
  for (const key of ["example", "default", "const"]) {
    if (Object.hasOwn(resolved, key)) return resolved[key];
  }
  const [first] = [...listOf(resolved.examples), ...listOf(resolved.enum)];
  if (first !== undefined) return first;
  const parts = listOf(resolved.allOf);
  if (parts.length > 0) {
    const values = parts.map((part) => sampleValue(part, root, depth + 1));
    return Object.assign({}, ...values.filter(isJson), sampleObject(resolved, root, depth));
  }
  const [choice] = [...listOf(resolved.oneOf), ...listOf(resolved.anyOf)];
  if (choice !== undefined) return sampleValue(choice, root, depth + 1);
  const [type] = listOf(resolved.type).filter((one) => one !== "null");
  switch (type ?? resolved.type) {
    case "string":
      return sampleText(resolved);
    case "integer":
    case "number":
      return typeof resolved.minimum === "number" ? resolved.minimum : 1;
    case "boolean":
      return true;
    case "array":
      return [sampleValue(resolved.items, root, depth + 1)];
    case "null":
      return null;
    default:
      return isJson(resolved.properties) || resolved.type === "object"
        ? sampleObject(resolved, root, depth)
        : null;
  }
}

const TEXTS: Record<string, string> = {
  "date-time": "2026-01-01T00:00:00Z",
  date: "2026-01-01",
  email: "someone@example.com",
  uri: "https://example.com/",
  url: "https://example.com/",
  uuid: "00000000-0000-4000-8000-000000000000",
};

function sampleText(schema: Json): string {
  const text = TEXTS[String(schema.format)] ?? "text";
  const shortest = Number(schema.minLength) || 0;
  return text.padEnd(Math.min(shortest, 200), "x");
}

function sampleObject(schema: Json, root: unknown, depth: number): Json {
  const entries = Object.entries(isJson(schema.properties) ? schema.properties : {});
  const required = listOf(schema.required);
  const shown = entries.filter(([name]) => required.length === 0 || required.includes(name));
  return Object.fromEntries(
    shown
      .slice(0, MAX_MEMBERS)
      .map(([name, property]) => [name, sampleValue(property, root, depth + 1)]),
  );
}

/** Resolves a local `$ref` in a few hops, so that cycles end. */
export function resolveReference(value: unknown, root: unknown): unknown {
  let found = value;
  for (let hops = 0; hops < 8; hops++) {
    const reference = member(found, "$ref");
    if (typeof reference !== "string") return found;
    if (!reference.startsWith("#/")) return null;
    found = reference
      .slice(2)
      .split("/")
      .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
      .reduce<unknown>((at, part) => member(at, part), root);
  }
  return null;
}
