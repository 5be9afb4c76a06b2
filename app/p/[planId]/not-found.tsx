import { ButtonLink } from "@/components/ui/button-link.tsx";
import { PageHeader } from "@/components/ui/page-header.tsx";

export default function PublicPlanNotFound() {
  return (
    <PageHeader
      title="There is no such plan"
      actions={
        <ButtonLink look="primary" href="/explore">
          Explore plans
        </ButtonLink>
      }
    >
      The link may be cut off, or the plan is a draft its seller has not listed yet.
    </PageHeader>
  );
}
