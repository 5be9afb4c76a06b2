import { AgentTable } from "@/components/agents/agent-table.tsx";
import { PageHeader } from "@/components/ui/page-header.tsx";

export default function AgentsLoading() {
  return (
    <>
      <PageHeader title="Agents">Your agents and the plans that sell access to them.</PageHeader>
      <AgentTable rows={[]} isLoading />
    </>
  );
}
