import { read } from "@/app/_session/operations.ts";
import { AgentSettings } from "@/components/agents/agent-settings.tsx";
import { DomainSection } from "@/components/agents/domain-section.tsx";
import { archiveEffects } from "@/components/business/archive-effects.ts";
import { EndingSection } from "@/components/business/ending-section.tsx";
import type { Routed } from "@/components/search-params.ts";
import * as actions from "../../actions.ts";
import { readOwnAgent } from "../read-agent.ts";

export const metadata = { title: "Agent settings" };

export default async function AgentSettingsPage({ params }: Routed<"agentId">) {
  const agent = await readOwnAgent((await params).agentId);
  const { agentId } = agent;
  const [domain, figures] = await Promise.all([
    read("getAgentDomain", { agentId }),
    read("getAgentFigures", { agentId, range: "30d" }),
  ]);
  return (
    <>
      <AgentSettings agent={agent} updateAgent={actions.updateAgent} />
      <DomainSection agentId={agentId} domain={domain} checkDomain={actions.checkAgentDomain} />
      <EndingSection
        what="agent"
        name={agent.metadata.main.name}
        isArchived={agent.archivedAt !== undefined}
        effects={archiveEffects.agent(figures.now.customers, agent.plans.length)}
        archive={actions.archiveAgent.bind(null, { agentId })}
        restore={actions.restoreAgent.bind(null, { agentId })}
        remove={actions.deleteAgent.bind(null, { agentId })}
      />
    </>
  );
}
