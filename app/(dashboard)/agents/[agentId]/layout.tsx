import type { ReactNode } from "react";
import { Visited } from "@/components/shell/visited.tsx";
import { ButtonLink } from "@/components/ui/button-link.tsx";
import { CopyText } from "@/components/ui/copy-text.tsx";
import { PathTabs } from "@/components/ui/links/path-tabs.tsx";
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
  const path = `/agents/${agent.agentId}`;
  return (
    <>
      <Visited href={path} name={agent.metadata.main.name} kind="Agent" />
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
      <PathTabs
        label="Agent"
        tabs={[
          { href: path, label: "Overview" },
          { href: `${path}/endpoints`, label: "Endpoints" },
          { href: `${path}/plans`, label: "Plans", count: agent.plans.length },
          { href: `${path}/checks`, label: "Checks" },
          { href: `${path}/code`, label: "Code" },
          { href: `${path}/settings`, label: "Settings" },
        ]}
      />
      {children}
    </>
  );
}
