import type { Agent } from "@turnpike/payments/protocol";
import type { SampleAgent } from "./subscriber-code.ts";

/** The first endpoint of the first agent that has one, for code samples. */
export function sampleAgentOf(agents: readonly Agent[]): SampleAgent | undefined {
  for (const { agentId, metadata } of agents) {
    const [entry] = Object.entries(metadata.agent.endpoints[0] ?? {});
    if (entry) return { agentId, verb: entry[0], url: entry[1] };
  }
  return undefined;
}
