import type { ReactNode } from "react";
import { WithdrawLink } from "@/components/balance/withdraw-link.tsx";
import { PathTabs } from "@/components/ui/links/path-tabs.tsx";
import { PageHeader } from "@/components/ui/page-header.tsx";

const TABS = [
  { href: "/balance", label: "Movements" },
  { href: "/balance/payouts", label: "Payouts" },
  { href: "/balance/refunds", label: "Refunds" },
  { href: "/balance/disputes", label: "Disputes" },
  { href: "/balance/statements", label: "Statements" },
];

export default function BalanceLayout({ children }: { children: ReactNode }) {
  return (
    <>
      <PageHeader title="Balance" actions={<WithdrawLink />}>
        What you have, what is on its way, and what was paid out. Times are UTC.
      </PageHeader>
      <PathTabs label="Balance" tabs={TABS} />
      {children}
    </>
  );
}
