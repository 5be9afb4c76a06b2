import { PageHeader } from "@/components/ui/page-header.tsx";

export default function SharedRunNotFound() {
  return (
    <PageHeader title="Link expired or revoked">
      Shared runs expire after seven days, or when their owner revokes the link.
    </PageHeader>
  );
}
