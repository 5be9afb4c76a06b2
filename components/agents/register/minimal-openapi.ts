import { pathOf } from "@turnpike/payments/protocol";

type Described = { verb: string; url: string };

/** A minimal OpenAPI document, to host when an agent has none. */
export function minimalOpenApi(name: string, endpoints: readonly Described[]): string {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const { verb, url } of endpoints) {
    const path = pathOf(url).replace(/(?<=\/):([A-Za-z_]\w*)/g, "{$1}");
    const names = Array.from(path.matchAll(/\{([^{}/]+)\}/g), ([, name]) => name as string);
    paths[path] = {
      ...paths[path],
      [verb.toLowerCase()]: {
        ...(names.length > 0 && {
          parameters: names.map((name) => ({
            name,
            in: "path",
            required: true,
            schema: { type: "string" },
          })),
        }),
        responses: {
          "200": { description: "The response." },
          "402": { description: "Payment required." },
        },
      },
    };
  }
  const [first] = endpoints.filter(({ url }) => URL.canParse(url));
  const document = {
    openapi: "3.1.0",
    info: { title: name || "Agent", version: "1.0.0" },
    ...(first && { servers: [{ url: new URL(first.url).origin }] }),
    paths,
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}
