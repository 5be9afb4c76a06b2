import { Skeleton } from "@/components/ui/skeleton.tsx";

export default function CheckoutLoading() {
  return (
    <div
      role="status"
      aria-label="Loading the order"
      className="mx-auto grid w-full max-w-226 gap-x-16 gap-y-5 lg:grid-cols-[minmax(0,480px)_minmax(0,1fr)] lg:grid-rows-[auto_1fr]"
    >
      <Skeleton className="h-6 w-56" />
      <div className="grid h-64 grid-cols-1 content-start gap-4 rounded-card border border-line p-(--card-pad) lg:col-start-2 lg:row-span-2 lg:row-start-1">
        <Skeleton className="h-4 w-40" />
        <Skeleton className="w-56" />
        <Skeleton className="w-48" />
      </div>
      <div className="grid h-96 grid-cols-1 content-start gap-6 rounded-card border border-line p-4">
        <Skeleton className="w-40" />
        <Skeleton className="w-48" />
        <Skeleton className="w-36" />
      </div>
    </div>
  );
}
