import { ListSkeleton } from "@/components/subscriptions/list-skeleton.tsx";

export default function TokensLoading() {
  return <ListSkeleton title="Tokens" />;
}
