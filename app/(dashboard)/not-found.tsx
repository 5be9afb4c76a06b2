import { ButtonLink } from "@/components/ui/button-link.tsx";
import { PageHeader } from "@/components/ui/page-header.tsx";

/** The 404 page of the dashboard, also for what belongs to another account. */
export default function DashboardNotFound() {
  return (
    <PageHeader title="Not found" actions={<ButtonLink href="/home">Home</ButtonLink>}>
      This page doesn’t exist or belongs to another account.
    </PageHeader>
  );
}
