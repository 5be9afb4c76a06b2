import { ButtonLink } from "@/components/ui/button-link.tsx";
import { Empty } from "@/components/ui/empty.tsx";
import { PageHeader } from "@/components/ui/page-header.tsx";

export default function AgentNotFound() {
  return (
    <>
      <PageHeader title="No such agent" />
      <Empty
        headingLevel={2}
        kind="filtered"
        title="There is no such agent of yours"
        actions={<ButtonLink href="/agents">All agents</ButtonLink>}
      >
        It belongs to another account, or the id is not whole.
      </Empty>
    </>
  );
}
