/** The part of JSON Schema that the API's document uses. */
export type JsonSchema = {
  $ref?: string;
  $defs?: Record<string, JsonSchema>;
  type?: string;
  const?: unknown;
  enum?: unknown[];
  default?: unknown;
  description?: string;
  format?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  additionalProperties?: JsonSchema | boolean;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
};

/** One field as a reader sees it; `depth` counts the objects around it. */
export type Field = {
  name: string;
  type: string;
  isRequired: boolean;
  depth: number;
  /** What it means. */
  description?: string;
};

/** One form a body can take: its fields, or its type where it is no object. */
export type BodyForm = { type: string; fields: Field[] };

const MAX_DEPTH = 3;

/** The forms of a body; more than one where the schema is a choice between objects. */
export function describeBody(schema: JsonSchema): BodyForm[] {
  const forms = choicesOf(schema).filter((form) => form.properties);
  if (forms.length > 0) {
    return forms.map((form) => ({ type: "object", fields: fieldsOf(form, 0) }));
  }
  const item = schema.items?.properties ? fieldsOf(schema.items, 0) : [];
  return [{ type: typeOf(schema), fields: item }];
}

function fieldsOf(schema: JsonSchema, depth: number): Field[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => [
    {
      ...{ name, depth, type: typeOf(member) },
      isRequired: schema.required?.includes(name) ?? false,
      ...(member.description && { description: member.description }),
    },
    ...(depth + 1 < MAX_DEPTH ? fieldsOf(innerOf(member), depth + 1) : []),
  ]);
}

// What an object field holds: its own members, or those of the items of a list.
const innerOf = (schema: JsonSchema): JsonSchema =>
  schema.items ?? choicesOf(schema).find(({ properties }) => properties) ?? schema;

const choicesOf = (schema: JsonSchema) => schema.anyOf ?? schema.oneOf ?? [schema];

/** A type in a few words: `string`, `decimal string`, `array of objects`, `"a" or "b"`. */
export function typeOf(schema: JsonSchema): string {
  if (isAmount(schema)) return "decimal string";
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" or ");
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return [...new Set(choices.map(typeOf))].join(" or ");
  if (schema.type === "array") return `array of ${pluralOf(typeOf(schema.items ?? {}))}`;
  if (schema.type === "object" && !schema.properties) return mapType(schema);
  return schema.format ?? schema.type ?? "any";
}

const pluralOf = (type: string) =>
  /^(object|(decimal )?string|number|integer|boolean)$/.test(type) ? `${type}s` : type;

function mapType({ additionalProperties: values }: JsonSchema): string {
  const isTyped = typeof values === "object" && Object.keys(values).length > 0;
  return isTyped ? `map of ${typeOf(values)}` : "object";
}

const isAmount = ({ $ref, oneOf }: JsonSchema) =>
  $ref?.endsWith("/Uint256") ||
  (oneOf?.length === 2 && oneOf[0]?.type === "string" && oneOf[1]?.type === "integer");
