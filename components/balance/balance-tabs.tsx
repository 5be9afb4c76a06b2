"use client";

import { usePathname } from "next/navigation";
import { ButtonLink } from "../ui/button-link.tsx";
import { TabLinks } from "../ui/links/tab-links.tsx";

const TABS = [
  ["/balance", "Movements"],
  ["/balance/payouts", "Payouts"],
  ["/balance/refunds", "Refunds"],
  ["/balance/disputes", "Disputes"],
  ["/balance/statements", "Statements"],
] as const;

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

/** The way to withdraw, on every page but its own. */
export function WithdrawLink() {
  const href = "/balance/withdraw";
  return usePathname() !== href && <ButtonLink href={href}>Withdraw USDC</ButtonLink>;
}
