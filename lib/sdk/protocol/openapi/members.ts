type Json = Record<string, unknown>;

export const memberNames = (schema: Json) =>
  Object.keys((schema.properties as Json | undefined) ?? {});

/** Whether each form of an input has to have the member, or any at all. */
export const requires = (schema: Json, name?: string): boolean => {
  const forms = (schema.anyOf ?? schema.oneOf) as Json[] | undefined;
  if (forms) return forms.every((form) => requires(form, name));
  const required = (schema.required as string[] | undefined) ?? [];
  return name === undefined ? required.length > 0 : required.includes(name);
};

export const memberOf = (schema: Json, name: string) =>
  (schema.properties as Json | undefined)?.[name] ?? { type: "string" };

export function withoutMembers(schema: Json, names: string[]): Json {
  if (!schema.properties) return schema;
  const properties = Object.fromEntries(
    Object.entries(schema.properties as Json).filter(([name]) => !names.includes(name)),
  );
  const required = ((schema.required as string[] | undefined) ?? []).filter(
    (name) => !names.includes(name),
  );
  return {
    ...schema,
    properties,
    ...(required.length > 0 ? { required } : { required: undefined }),
  };
}
