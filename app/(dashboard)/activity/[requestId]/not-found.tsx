import { ButtonLink } from "@/components/ui/button-link.tsx";
import { Empty } from "@/components/ui/empty.tsx";
import { PageHeader } from "@/components/ui/page-header.tsx";

export default function RequestNotFound() {
  return (
    <>
      <PageHeader title="Request" />
      <h2 className="sr-only">Not found</h2>
      <Empty
        kind="noRights"
        title="Request not found"
        actions={<ButtonLink href="/activity">Open activity</ButtonLink>}
      >
        Only the payer and the agent’s owner can see a request. Check the ID, or sign in as one of
        them.
      </Empty>
    </>
  );
}
