import { type Agent, canParseUrl, pathOf } from "@turnpike/payments/protocol";

/** Where Turnpike serves a definition for an agent that has none. Registration puts the agent's ID into it (§2.8). */
export const HOSTED_DEFINITION = "/api/v1/protocol/agents/:agentId/openapi.json";

/** Whether Turnpike serves this definition, so that its origin says nothing of where the agent is. */
export const isHostedDefinition = (url: string, agentId: string): boolean =>
  pathOf(url) === HOSTED_DEFINITION.replace(":agentId", agentId);

/** The OpenAPI document of an agent's endpoints as registered. Those that are not reached by HTTP are only named. */
export function hostedDefinition({ metadata: { main, agent } }: Pick<Agent, "metadata">) {
  const paid = agent.endpoints.flatMap((endpoint) =>
    Object.entries(endpoint).map(([verb, url]) => ({ verb, url, isPaid: true })),
  );
  const open = agent.openEndpoints.map((url) => ({ verb: "GET", url, isPaid: false }));
  const isHttp = ({ url }: { url: string }) => /^(https?:\/)?\//i.test(url);
  const endpoints = [...paid, ...open].filter(isHttp);
  const others = paid.filter((one) => !isHttp(one)).map(({ url }) => url);
  const paths: Record<string, Record<string, unknown>> = {};
  for (const { verb, url, isPaid } of endpoints) {
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
          ...(isPaid && { "402": { description: "Payment required." } }),
        },
      },
    };
  }
  const [first] = endpoints.filter(({ url }) => canParseUrl(url));
  return {
    openapi: "3.1.0",
    info: { title: main.name, version: "1.0.0" },
    ...(first && { servers: [{ url: new URL(first.url).origin }] }),
    paths,
    ...(others.length > 0 && { "x-endpoints": others }),
  };
}
