import { ButtonLink } from "@/components/ui/button-link.tsx";
import { PageHeader } from "@/components/ui/page-header.tsx";

export default function PublicPlanNotFound() {
  return (
    <PageHeader
      title="Plan not found"
      actions={
        <ButtonLink look="primary" href="/explore">
          Explore plans
        </ButtonLink>
      }
    >
      The link may be incomplete, or the plan is still a draft.
    </PageHeader>
  );
}
