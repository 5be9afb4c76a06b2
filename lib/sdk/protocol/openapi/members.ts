type Json = Record<string, unknown>;

/** The members of a schema, or of all its forms. */
export const membersOf = ({ anyOf, properties }: Json): Json =>
  Object.assign({}, properties, ...((anyOf as Json[] | undefined) ?? []).map(membersOf));

/** Whether each form of an input has to have the member, or any at all. */
export const requires = (schema: Json, name?: string): boolean => {
  const forms = (schema.anyOf ?? schema.oneOf) as Json[] | undefined;
  if (forms) return forms.every((form) => requires(form, name));
  const required = (schema.required as string[] | undefined) ?? [];
  return name === undefined ? required.length > 0 : required.includes(name);
};

export const memberOf = (schema: Json, name: string) =>
  membersOf(schema)[name] ?? { type: "string" };

export function withoutMembers(schema: Json, names: string[]): Json {
  const forms = schema.anyOf as Json[] | undefined;
  if (forms) return { ...schema, anyOf: forms.map((form) => withoutMembers(form, names)) };
  if (!schema.properties) return schema;
  const isKept = (name: string) => !names.includes(name);
  const kept = Object.entries(schema.properties as Json).filter(([name]) => isKept(name));
  const required = ((schema.required as string[] | undefined) ?? []).filter(isKept);
  return {
    ...schema,
    properties: Object.fromEntries(kept),
    ...(required.length > 0 ? { required } : { required: undefined }),
  };
}
