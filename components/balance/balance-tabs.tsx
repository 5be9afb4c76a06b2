"use client";

import { usePathname } from "next/navigation";
import { TabLinks } from "../ui/tab-links.tsx";

const TABS = [
  ["/balance", "Movements"],
  ["/balance/payouts", "Payouts"],
  ["/balance/refunds", "Refunds"],
  ["/balance/disputes", "Disputes"],
  ["/balance/statements", "Statements"],
] as const;

/** The pages of the balance. */
export function BalanceTabs() {
  const path = usePathname();
  return (
    <TabLinks
      label="Balance"
      className="mb-6"
      tabs={TABS.map(([href, label]) => ({ href, label, isCurrent: path === href }))}
    />
  );
}
