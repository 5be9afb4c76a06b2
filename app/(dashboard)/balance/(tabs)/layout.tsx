import type { ReactNode } from "react";
import { BalanceTabs } from "@/components/balance/balance-tabs.tsx";
import { ButtonLink } from "@/components/ui/button-link.tsx";
import { PageHeader } from "@/components/ui/page-header.tsx";

export default function BalanceLayout({ children }: { children: ReactNode }) {
  return (
    <>
      <PageHeader
        title="Balance"
        actions={<ButtonLink href="/balance/withdraw">Withdraw USDC</ButtonLink>}
      >
        What you have, what is on its way, and what was paid out.
      </PageHeader>
      <BalanceTabs />
      {children}
    </>
  );
}
