import { ListSkeleton } from "@/components/subscriptions/list-skeleton.tsx";

export default function CardsLoading() {
  return <ListSkeleton title="Cards" />;
}
