import { ButtonLink } from "@/components/ui/button-link.tsx";
import { PageHeader } from "@/components/ui/page-header.tsx";

export default function PublicAgentNotFound() {
  return (
    <PageHeader
      title="Agent not found"
      actions={
        <ButtonLink look="primary" href="/explore">
          Explore plans
        </ButtonLink>
      }
    >
      The link may be incomplete, or the agent is archived or has no listed plan.
    </PageHeader>
  );
}
