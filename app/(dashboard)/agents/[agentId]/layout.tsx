import type { ReactNode } from "react";
import { AgentTabs } from "@/components/agents/agent-tabs.tsx";
import { PageHeader } from "@/components/ui/page-header.tsx";
import { Identifier } from "@/components/ui/values/identifier.tsx";
import { readOwnAgent } from "./read-agent.ts";

type Props = { params: Promise<{ agentId: string }>; children: ReactNode };

export default async function AgentLayout({ params, children }: Props) {
  const agent = await readOwnAgent((await params).agentId);
  return (
    <>
      <PageHeader
        title={agent.metadata.main.name}
        aside={<Identifier value={agent.agentId} name="agent id" />}
      />
      <AgentTabs agentId={agent.agentId} plans={agent.plans.length} />
      {children}
    </>
  );
}
