import { LoadingRows } from "@/components/activity/loading-rows.tsx";

export default function WithdrawLoading() {
  return <LoadingRows caption="Withdraw" />;
}
