import { PageHeader } from "@/components/ui/page-header.tsx";
import { Skeleton } from "@/components/ui/skeleton.tsx";

export default function NewPlanLoading() {
  return (
    <>
      <PageHeader title="New plan">
        Your draft stays in this browser until you create the plan.
      </PageHeader>
      <div className="grid max-w-[560px] gap-6 rounded-card border border-line bg-surface p-4">
        {["w-24", "w-full", "w-full", "w-full", "w-32"].map((width, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: bars have no identity.
          <Skeleton key={index} className={width} />
        ))}
      </div>
    </>
  );
}
