import type { ToolResult } from "./tool-result.ts";

/** A schema as zod and others have it (standardschema.dev), as far as it is used here. */
type Schema = {
  "~standard": {
    validate(value: unknown): Validated | Promise<Validated>;
  };
};
type Validated = {
  issues?:
    | readonly {
        message: string;
        path?: readonly (PropertyKey | { key: PropertyKey })[] | undefined;
      }[]
    | undefined;
};

/** A tool's `outputSchema` as `registerTool` takes it: a schema, or one for each field. */
export type OutputSchema = Schema | Readonly<Record<string, Schema>>;

/** What the server library would reject a tool's result for, after it was charged; an error need not fit. */
export async function findMisfit(
  schema: OutputSchema,
  { isError, structuredContent }: ToolResult,
): Promise<{ field: string; reason: string } | null> {
  if (isError) return null;
  if (!structuredContent) return { field: "structuredContent", reason: "It is left out." };
  const fields = structuredContent as Record<string, unknown>;
  const parts: [string[], Schema, unknown][] = isSchema(schema)
    ? [[[], schema, fields]]
    : Object.entries(schema).map(([name, own]) => [[name], own, fields[name]]);
  for (const [at, own, value] of parts) {
    const [issue] = (await own["~standard"].validate(value)).issues ?? [];
    if (!issue) continue;
    const inside = (issue.path ?? []).map((part) => (typeof part === "object" ? part.key : part));
    return { field: [...at, ...inside].map(String).join("."), reason: issue.message };
  }
  return null;
}

const isSchema = (schema: object): schema is Schema => "~standard" in schema;

/** Whether a tool has none, or one of a form that can be checked; not a JSON Schema. */
export const isOutputSchema = (schema: OutputSchema | undefined): boolean =>
  schema === undefined ||
  isSchema(schema) ||
  Object.values(schema).every((own) => own instanceof Object && isSchema(own));
