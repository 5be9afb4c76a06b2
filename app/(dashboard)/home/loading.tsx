import { LoadingRows } from "@/components/activity/loading-rows.tsx";
import { PageHeader } from "@/components/ui/page-header.tsx";
import { Skeleton } from "@/components/ui/skeleton.tsx";

export default function HomeLoading() {
  return (
    <>
      <PageHeader title="Home">
        <Skeleton className="w-40" />
      </PageHeader>
      <div className="mb-8 grid grid-cols-4 rounded-card border border-line bg-surface max-lg:grid-cols-2">
        {["w-24", "w-28", "w-24", "w-32"].map((width, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: bars have no identity.
          <div key={index} className="grid h-26 grid-cols-1 content-center gap-4 px-5">
            <Skeleton className={width} />
            <Skeleton className="h-5 w-16" />
          </div>
        ))}
      </div>
      <LoadingRows caption="Home" />
    </>
  );
}
