import { ButtonLink } from "@/components/ui/button-link.tsx";
import { Empty } from "@/components/ui/empty.tsx";
import { PageHeader } from "@/components/ui/page-header.tsx";

export default function AgentNotFound() {
  return (
    <>
      <PageHeader title="Agent not found" />
      <Empty
        headingLevel={2}
        kind="filtered"
        title="You have no agent with this ID"
        actions={<ButtonLink href="/agents">All agents</ButtonLink>}
      >
        It may belong to another account, or the URL is incomplete.
      </Empty>
    </>
  );
}
