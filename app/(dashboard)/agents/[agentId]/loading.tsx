import { Card } from "@/components/ui/card.tsx";
import { Skeleton } from "@/components/ui/skeleton.tsx";

export default function AgentLoading() {
  return (
    <Card aria-busy="true" className="grid grid-cols-1 gap-4">
      <Skeleton className="w-40" />
      <Skeleton className="w-96" />
      <Skeleton className="w-64" />
    </Card>
  );
}
