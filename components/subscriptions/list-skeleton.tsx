import { LoadingRows } from "../activity/loading-rows.tsx";

export function ListSkeleton({ title }: { title: string }) {
  return (
    <>
      <p className="mb-6 text-h1">{title}</p>
      <LoadingRows caption={title} />
    </>
  );
}
