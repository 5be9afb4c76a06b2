import { Card } from "@/components/ui/card.tsx";
import { PageHeader } from "@/components/ui/page-header.tsx";
import { Skeleton } from "@/components/ui/skeleton.tsx";

export default function NewAgentLoading() {
  return (
    <>
      <PageHeader title="Register an agent">
        Start with one URL. Registering sends no access token, so nothing is charged.
      </PageHeader>
      <Card aria-busy="true" className="grid gap-4">
        <Skeleton className="w-40" />
        <Skeleton className="w-96" />
        <Skeleton className="w-64" />
      </Card>
    </>
  );
}
