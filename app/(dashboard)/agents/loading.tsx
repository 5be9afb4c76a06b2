import { AgentTable } from "@/components/agents/agent-table.tsx";
import { PageHeader } from "@/components/ui/page-header.tsx";

export default function AgentsLoading() {
  return (
    <>
      <PageHeader title="Agents">Your paid endpoints, and the plans that pay for them.</PageHeader>
      <AgentTable rows={[]} isLoading />
    </>
  );
}
