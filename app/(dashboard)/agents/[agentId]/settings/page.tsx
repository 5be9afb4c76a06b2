import { read } from "@/app/_session/operations.ts";
import { AgentSettings } from "@/components/agents/agent-settings.tsx";
import { DomainSection } from "@/components/agents/domain-section.tsx";
import { checkAgentDomain, updateAgent } from "../../actions.ts";
import { readOwnAgent } from "../read-agent.ts";

export const metadata = { title: "Settings of an agent" };

export default async function AgentSettingsPage({
  params,
}: {
  params: Promise<{ agentId: string }>;
}) {
  const agent = await readOwnAgent((await params).agentId);
  const { agentId } = agent;
  const domain = await read("getAgentDomain", { agentId });
  return (
    <>
      <AgentSettings agent={agent} updateAgent={updateAgent} />
      <DomainSection agentId={agentId} domain={domain} checkDomain={checkAgentDomain} />
    </>
  );
}
