import { Card } from "@/components/ui/card.tsx";
import { PageHeader } from "@/components/ui/page-header.tsx";
import { Skeleton } from "@/components/ui/skeleton.tsx";

const CARDS = ["a", "b", "c", "d", "e", "f"];

export default function ExploreLoading() {
  return (
    <>
      <PageHeader title="Explore agents">
        Figures come from paid calls in the last 30 days, excluding the seller’s own calls and test
        calls. Sellers can’t edit or buy these figures.
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
