import { PageHeader } from "@/components/ui/page-header.tsx";
import AgentLoading from "../[agentId]/loading.tsx";

export default function NewAgentLoading() {
  return (
    <>
      <PageHeader title="Register an agent">
        Start with a URL. Registering sends no access token, so nothing is charged.
      </PageHeader>
      <AgentLoading />
    </>
  );
}
