import { Notice } from "@/components/ui/notice.tsx";
import { getRunning } from "@/lib/server/running.ts";

/** Says that paid orders are stopped, on the pages that lead to one. Nothing while they are taken. */
export async function SalesNotice() {
  const { ports } = await getRunning();
  if (!ports.salesStop?.()) return null;
  return (
    <Notice tone="unsettled" title="Paid orders are paused.">
      Our operators are investigating a difference between the ledger, the chain and the card
      processor. New orders and automatic top-ups are declined and not charged; orders in progress
      will complete. Your credits, access tokens and free plans work as usual. Order again once this
      notice is gone.
    </Notice>
  );
}
