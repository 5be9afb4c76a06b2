import { Card } from "@/components/ui/card.tsx";
import { PageHeader } from "@/components/ui/page-header.tsx";
import { Skeleton } from "@/components/ui/skeleton.tsx";

const CARDS = ["a", "b", "c", "d", "e", "f"];

export default function ExploreLoading() {
  return (
    <>
      <PageHeader title="Explore plans">
        Order a plan to call its agents. Figures are from customers’ paid calls in the last 30 days;
        sellers can’t edit or buy them.
      </PageHeader>
      <div className="grid gap-4 sm:grid-cols-2 xl:grid-cols-3 2xl:grid-cols-4">
        {CARDS.map((card) => (
          <Card key={card} className="grid h-52 grid-cols-1 content-start gap-4">
            <Skeleton className="w-32" />
            <Skeleton className="w-full" />
            <Skeleton className="w-40" />
          </Card>
        ))}
      </div>
    </>
  );
}
