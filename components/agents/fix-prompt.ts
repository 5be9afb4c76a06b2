import type { Finding, Probe } from "@/lib/probe/report/probe.ts";

export type PromptedEndpoint = { verb: string; url: string; probe: Probe | null };

/** A text for whoever mends the agent: what was asked, what came, what should have; no secrets. */
export function fixPrompt(
  agent: { name: string; agentId?: string; planIds: readonly string[] },
  endpoints: readonly PromptedEndpoint[],
  others: readonly Finding[] = [],
): string {
  const broken = endpoints.filter(({ probe }) => probe && hasFaults(probe));
  const parts = broken.map(({ verb, url, probe }) => describeEndpoint(verb, url, probe as Probe));
  const whole = others.filter(({ state }) => state === "fail");
  return [
    `Mend the payment gate of the agent ${JSON.stringify(agent.name || "without a name")}. It gates its routes with the package @turnpike/payments.`,
    `${agent.agentId ? `Agent id: ${agent.agentId}. ` : ""}${agent.planIds.length > 0 ? `Plan ids: ${agent.planIds.join(", ")}.` : ""}`.trim(),
    "A paid route must answer a request without the header payment-signature with status 402, and carry the x402 version 2 requirement in the header payment-required, as base64 of its JSON. Nothing behind the gate may run then.",
    ...parts,
    ...(whole.length > 0 ? [`The agent as a whole:\n${whole.map(describeFault).join("\n")}`] : []),
    "Afterwards the checks named above must pass. Do not change the price, the plan ids or the agent id.",
  ]
    .filter(Boolean)
    .join("\n\n");
}

const hasFaults = (probe: Probe): boolean =>
  probe.result !== "ready" || probe.findings.some(({ state }) => state === "fail");

function describeEndpoint(verb: string, url: string, probe: Probe): string {
  const faults = probe.findings.filter(({ state }) => state === "fail");
  const seen = probe.status === null ? "No answer" : `Answered ${probe.status} in ${probe.ms} ms`;
  return [
    `${verb} ${url}`,
    `${seen} when called as ${probe.calledUrl} without a token. ${probe.why}`,
    ...faults.map(describeFault),
    ...(probe.envelope
      ? [`The envelope as decoded:\n${JSON.stringify(probe.envelope, null, 2)}`]
      : []),
  ].join("\n");
}

const describeFault = ({ id, severity, sentence, fix }: Finding): string =>
  `- ${id} (${severity}): ${sentence}${fix ? ` ${fix}` : ""}`;
