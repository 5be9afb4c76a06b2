"use client";

import { usePathname } from "next/navigation";
import { SectionNotFound } from "@/components/subscriptions/section-not-found.tsx";
import { ButtonLink } from "@/components/ui/button-link.tsx";
import { PageHeader } from "@/components/ui/page-header.tsx";

/** What the pages at and below a path show, and the list that has all of them. */
const KINDS: { path: string; what: string; href?: string }[] = [
  { path: "/balance/disputes", what: "dispute" },
  { path: "/balance/invoices", what: "invoice", href: "/balance/statements" },
  { path: "/balance/orders", what: "order", href: "/balance" },
  { path: "/customers", what: "customer" },
  { path: "/delegations", what: "delegation" },
  { path: "/payment-methods", what: "card" },
  { path: "/subscriptions", what: "subscription" },
  { path: "/tokens", what: "token" },
];

/** The 404 page of the dashboard, also for what belongs to another account. */
export default function DashboardNotFound() {
  const pathname = usePathname();
  const kind = KINDS.find(({ path }) => `${pathname}/`.startsWith(`${path}/`));
  if (kind) return <SectionNotFound what={kind.what} href={kind.href ?? kind.path} />;
  return (
    <PageHeader title="Not found" actions={<ButtonLink href="/home">Home</ButtonLink>}>
      This page doesn’t exist or belongs to another account.
    </PageHeader>
  );
}
