import { ListSkeleton } from "@/components/activity/loading-rows.tsx";

export default function TokensLoading() {
  return <ListSkeleton title="Tokens" />;
}
