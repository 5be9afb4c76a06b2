import type { ReactNode } from "react";
import { TabLinks } from "@/components/ui/links/tab-links.tsx";
import { PageHeader } from "@/components/ui/page-header.tsx";
import { readHome } from "./read-side.ts";

type ActivityHeaderProps = {
  view: "requests" | "errors" | "reconcile";
  /** Keeps the side and the range between views. */
  query: string;
  actions?: ReactNode;
};

export async function ActivityHeader({ view, query, actions }: ActivityHeaderProps) {
  const { builder } = await readHome();
  return (
    <>
      <PageHeader title="Activity" actions={actions}>
        Every request with its response and payment status. Times are UTC.
      </PageHeader>
      <TabLinks
        label="Activity views"
        className="mb-5"
        tabs={[
          { href: `/activity?${query}`, label: "Requests", isCurrent: view === "requests" },
          { href: `/activity/errors?${query}`, label: "Errors", isCurrent: view === "errors" },
          {
            href: `/activity/reconcile?${query}`,
            label: "Reconcile",
            isCurrent: view === "reconcile",
            count: builder.unsettled,
          },
        ]}
      />
    </>
  );
}
