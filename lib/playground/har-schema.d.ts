declare module "har-schema" {
  /** The JSON Schemas of HAR by their names; each has its own `$id`. */
  const schemas: Record<string, { $id: string }>;
  export default schemas;
}
