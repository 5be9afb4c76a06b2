import { read } from "@/app/_session/operations.ts";
import { findSandbox } from "@/app/demo/find-sandbox.ts";
import type { Preset } from "@/components/playground/preset.ts";

/** The sandbox's demo agent, then the endpoints of my own agents. */
export async function readPresets(): Promise<Preset[]> {
  const sandbox = await findSandbox();
  const demo: Preset[] = sandbox
    ? [
        {
          id: "demo",
          label: "Demo agent, POST /ask",
          note: "Counts the words of what you send",
          method: "POST",
          url: sandbox.agent.url,
          body: '{\n  "text": "What changed since last year?"\n}',
        },
      ]
    : [];
  const { items } = await read("listAgents", { limit: 20 });
  const mine = items.flatMap(({ agentId, metadata }) =>
    metadata.agent.endpoints.flatMap((endpoint) =>
      Object.entries(endpoint).flatMap(([method, url]) =>
        url && url !== sandbox?.agent.url
          ? [
              {
                id: `${agentId} ${method} ${url}`,
                label: `${metadata.main.name}, ${method}`,
                note: url,
                method,
                url,
              },
            ]
          : [],
      ),
    ),
  );
  return [...demo, ...mine];
}
