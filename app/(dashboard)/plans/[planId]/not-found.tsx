import { ButtonLink } from "@/components/ui/button-link.tsx";
import { PageHeader } from "@/components/ui/page-header.tsx";

export default function PlanNotFound() {
  return (
    <PageHeader
      title="Plan not found"
      actions={
        <ButtonLink look="primary" href="/plans">
          All plans
        </ButtonLink>
      }
    >
      The URL may be wrong, or the plan belongs to another account. To see someone else’s plan, open
      its public page.
    </PageHeader>
  );
}
