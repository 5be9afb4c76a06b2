import { ButtonLink } from "@/components/ui/button-link.tsx";
import { PageHeader } from "@/components/ui/page-header.tsx";

export default function PlanNotFound() {
  return (
    <PageHeader
      title="There is no such plan of yours"
      actions={
        <ButtonLink look="primary" href="/plans">
          All plans
        </ButtonLink>
      }
    >
      The address may be wrong, or the plan belongs to another account. Somebody else’s plan has a
      public page.
    </PageHeader>
  );
}
