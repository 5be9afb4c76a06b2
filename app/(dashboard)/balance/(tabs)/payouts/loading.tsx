import { LoadingRows } from "@/components/activity/loading-rows.tsx";

export default function PayoutsLoading() {
  return <LoadingRows caption="Payouts" />;
}
