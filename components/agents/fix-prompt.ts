import type { Finding, Probe } from "@/lib/probe/report/probe.ts";

export type PromptedEndpoint = { verb: string; url: string; probe: Probe | null };

/** A prompt for a coding agent: what was sent, what came back and what to fix. Contains no secrets. */
export function fixPrompt(
  agent: { name: string; agentId?: string; planIds: readonly string[] },
  endpoints: readonly PromptedEndpoint[],
  others: readonly Finding[] = [],
): string {
  const broken = endpoints.filter(({ probe }) => probe && hasFaults(probe));
  const parts = broken.map(({ verb, url, probe }) => describeEndpoint(verb, url, probe as Probe));
  const general = others.filter(({ state }) => state === "fail");
  return [
    `Fix the payment gate of the agent ${JSON.stringify(agent.name || "Unnamed agent")}. It uses the package @turnpike/payments.`,
    `${agent.agentId ? `Agent ID: ${agent.agentId}. ` : ""}${agent.planIds.length > 0 ? `Plan IDs: ${agent.planIds.join(", ")}.` : ""}`.trim(),
    "A paid route must answer a request without the payment-signature header with status 402, and put the x402 version 2 requirement in the payment-required header, as base64-encoded JSON. The handler behind the gate must not run.",
    ...parts,
    ...(general.length > 0 ? [`Across the agent:\n${general.map(describeFault).join("\n")}`] : []),
    "When you are done, the checks above must pass. Do not change the price, the plan IDs or the agent ID.",
  ]
    .filter(Boolean)
    .join("\n\n");
}

const hasFaults = (probe: Probe): boolean =>
  probe.result !== "ready" || probe.findings.some(({ state }) => state === "fail");

function describeEndpoint(verb: string, url: string, probe: Probe): string {
  const faults = probe.findings.filter(({ state }) => state === "fail");
  const seen =
    probe.status === null ? "No response" : `Status ${probe.status} after ${probe.ms} ms`;
  return [
    `${verb} ${url}`,
    `${seen}, called without a token as ${probe.calledUrl}. ${probe.why}`,
    ...faults.map(describeFault),
    ...(probe.envelope
      ? [`The decoded envelope:\n${JSON.stringify(probe.envelope, null, 2)}`]
      : []),
  ].join("\n");
}

const describeFault = ({ id, severity, sentence, fix }: Finding): string =>
  `- ${id} (${severity}): ${sentence}${fix ? ` ${fix}` : ""}`;
