import type { ReactNode } from "react";
import { AgentTabs } from "@/components/agents/agent-tabs.tsx";
import { Visited } from "@/components/shell/visited.tsx";
import { ButtonLink } from "@/components/ui/button-link.tsx";
import { CopyText } from "@/components/ui/copy-text.tsx";
import { PageHeader } from "@/components/ui/page-header.tsx";
import { Identifier } from "@/components/ui/values/identifier.tsx";
import { StatePill } from "@/components/ui/values/state-pill.tsx";
import { getRunning } from "@/lib/server/running.ts";
import { readOwnAgent } from "./read-agent.ts";

type Props = { params: Promise<{ agentId: string }>; children: ReactNode };

export default async function AgentLayout({ params, children }: Props) {
  const [agent, { env }] = await Promise.all([
    params.then(({ agentId }) => readOwnAgent(agentId)),
    getRunning(),
  ]);
  return (
    <>
      <Visited href={`/agents/${agent.agentId}`} name={agent.metadata.main.name} kind="Agent" />
      <PageHeader
        title={agent.metadata.main.name}
        aside={
          <>
            {agent.archivedAt && <StatePill state="archived" />}
            <Identifier value={agent.agentId} name="agent ID" />
          </>
        }
        actions={
          <>
            <CopyText text={`${env.origin}/a/${agent.agentId}`}>Copy public link</CopyText>
            <ButtonLink href={`/a/${agent.agentId}`}>Public page</ButtonLink>
          </>
        }
      />
      <AgentTabs agentId={agent.agentId} plans={agent.plans.length} />
      {children}
    </>
  );
}
