import { TableFrame } from "../ui/data/table.tsx";
import { Skeleton } from "../ui/skeleton.tsx";

const WIDTHS = ["w-40", "w-56", "w-48", "w-64", "w-52", "w-44", "w-60", "w-48"];

export function LoadingRows({ caption }: { caption: string }) {
  return (
    <TableFrame aria-busy="true">
      <p role="status" className="sr-only">
        Loading: {caption}
      </p>
      <div className="h-8 border-line border-b bg-sunken" />
      {WIDTHS.map((width, index) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: bars have no identity.
          key={index}
          className="flex h-(--row) items-center gap-6 border-line px-4 not-last:border-b"
        >
          <Skeleton className="w-14" />
          <Skeleton className={width} />
          <Skeleton className="ms-auto w-24" />
        </div>
      ))}
    </TableFrame>
  );
}

/** The page of a list while it loads. `export default loadingList("Plans");` */
export const loadingList = (title: string) => () => (
  <>
    <p className="mb-6 text-h1">{title}</p>
    <LoadingRows caption={title} />
  </>
);

/** The same below a heading that is there already. */
export const loadingRows = (caption: string) => () => <LoadingRows caption={caption} />;
