import { TableFrame } from "../ui/data/table.tsx";
import { Skeleton } from "../ui/skeleton.tsx";

const ROWS = ["w-40", "w-52", "w-36", "w-48", "w-44", "w-32"];

export function ListSkeleton({ title }: { title: string }) {
  return (
    <div role="status" aria-label={`Loading: ${title}`}>
      <p className="mb-6 text-h1">{title}</p>
      <TableFrame>
        <div className="h-8 border-line border-b bg-sunken" />
        {ROWS.map((width) => (
          <div
            key={width}
            className="flex h-(--row) items-center gap-6 border-line px-4 not-last:border-b"
          >
            <Skeleton className={width} />
            <Skeleton className="w-24" />
            <Skeleton className="ms-auto w-16" />
          </div>
        ))}
      </TableFrame>
    </div>
  );
}
