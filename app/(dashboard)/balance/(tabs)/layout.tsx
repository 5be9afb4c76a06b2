import type { ReactNode } from "react";
import { BalanceTabs, WithdrawLink } from "@/components/balance/balance-tabs.tsx";
import { PageHeader } from "@/components/ui/page-header.tsx";

export default function BalanceLayout({ children }: { children: ReactNode }) {
  return (
    <>
      <PageHeader title="Balance" actions={<WithdrawLink />}>
        What you have, what is on its way, and what was paid out. Times are UTC.
      </PageHeader>
      <BalanceTabs />
      {children}
    </>
  );
}
