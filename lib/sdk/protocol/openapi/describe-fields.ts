/**
 * What members mean, by name (`planId`), or by the member or operation around them and their name (`terms.account`,
 * `listEvents.after`) where it differs there.
 */
export type FieldDescriptions = Readonly<Record<string, string>>;

type Json = Record<string, unknown>;

/** Members that only hold a list: what is around them names their entries. */
const LISTS: ReadonlySet<string> = new Set([
  "items",
  "plans",
  "agents",
  "delegations",
  "resources",
]);

/** Puts the descriptions on every parameter and member of a document's operations and schemas, in place. */
export function describeFields(fields: FieldDescriptions, paths: Json): void {
  const describe = (name: string, around: string): string | undefined =>
    fields[`${around}.${name}`] ?? fields[name];

  function walk(schema: unknown, around: string): void {
    if (Array.isArray(schema)) for (const each of schema) walk(each, around);
    else if (isObject(schema)) walkObject(schema, around);
  }

  function walkObject(schema: Json, around: string): void {
    for (const [name, member] of Object.entries(
      isObject(schema.properties) ? schema.properties : {},
    )) {
      if (!isObject(member)) continue;
      const description = describe(name, around);
      walk(member, LISTS.has(name) && member.type === "array" ? around : name);
      if (description) member.description = description;
    }
    for (const key of ["anyOf", "oneOf", "items", "additionalProperties"])
      walk(schema[key], around);
  }

  function walkOperation(row: Json, id: string): void {
    for (const parameter of row.parameters as Json[]) {
      parameter.description = describe(String(parameter.name), id);
      walk(parameter.schema, String(parameter.name));
    }
    const { 200: done } = row.responses as Record<number, Json>;
    for (const holder of [row.requestBody, done]) {
      if (!isObject(holder) || !isObject(holder.content)) continue;
      for (const media of Object.values(holder.content)) walk((media as Json).schema, id);
    }
  }

  for (const [key, methods] of Object.entries(paths)) {
    if (!key.startsWith("/")) walk(methods, key);
    else
      for (const row of Object.values(methods as Record<string, Json>))
        walkOperation(row, String(row.operationId));
  }
}

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
