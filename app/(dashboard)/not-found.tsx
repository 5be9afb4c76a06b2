"use client";

import { usePathname } from "next/navigation";
import { ButtonLink } from "@/components/ui/button-link.tsx";
import { PageHeader } from "@/components/ui/page-header.tsx";
import { TextLink } from "@/components/ui/text-link.tsx";

/** What the pages at and below a path show, and the list that has all of them. */
const KINDS: { path: string; what: string; href?: string; who?: string; publicPath?: string }[] = [
  {
    path: "/activity",
    what: "request",
    who: "Only the payer and the agent’s owner can see a request.",
  },
  { path: "/agents", what: "agent" },
  { path: "/balance/disputes", what: "dispute" },
  { path: "/balance/invoices", what: "invoice", href: "/balance/statements" },
  { path: "/balance/orders", what: "order", href: "/balance" },
  { path: "/customers", what: "customer" },
  { path: "/delegations", what: "delegation" },
  { path: "/payment-methods", what: "card" },
  { path: "/plans", what: "plan", publicPath: "/p" },
  { path: "/subscriptions", what: "subscription" },
  { path: "/tokens/new", what: "plan", href: "/explore" },
  { path: "/tokens", what: "token" },
];

/** The 404 page of the dashboard, also for what belongs to another account. */
export default function DashboardNotFound() {
  const pathname = usePathname();
  const kind = KINDS.find(({ path }) => `${pathname}/`.startsWith(`${path}/`));
  if (!kind) {
    return (
      <PageHeader title="Page not found" actions={<ButtonLink href="/home">Home</ButtonLink>}>
        This page doesn’t exist or belongs to another account.
      </PageHeader>
    );
  }
  const { path, what, href = path, who = `The ${what} may belong to another account.` } = kind;
  const publicPage = kind.publicPath && `${kind.publicPath}/${pathname.split("/")[2]}`;
  return (
    <PageHeader
      title={`${what[0]?.toUpperCase()}${what.slice(1)} not found`}
      actions={<ButtonLink href={href}>{`View all ${what}s`}</ButtonLink>}
    >
      Check the URL. {who}
      {publicPage && (
        <>
          {" "}
          Look at <TextLink href={publicPage}>its public page</TextLink>.
        </>
      )}
    </PageHeader>
  );
}
