import { ListSkeleton } from "@/components/activity/loading-rows.tsx";

export default function CardsLoading() {
  return <ListSkeleton title="Cards" />;
}
