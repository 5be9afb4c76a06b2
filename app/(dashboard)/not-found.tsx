import { ButtonLink } from "@/components/ui/button-link.tsx";
import { PageHeader } from "@/components/ui/page-header.tsx";

/** Inside the frame: what is not there, or belongs to another account. */
export default function DashboardNotFound() {
  return (
    <PageHeader title="Not found" actions={<ButtonLink href="/home">Home</ButtonLink>}>
      There is nothing of yours at this address. Nothing was charged.
    </PageHeader>
  );
}
