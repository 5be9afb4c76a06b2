import { LoadingRows } from "@/components/activity/loading-rows.tsx";

export default function BalanceLoading() {
  return <LoadingRows caption="Balance" />;
}
