import { LoadingRows } from "@/components/activity/loading-rows.tsx";

export default function StatementsLoading() {
  return <LoadingRows caption="Statements" />;
}
