import type { ReactNode } from "react";
import { PageHeader } from "@/components/ui/page-header.tsx";
import { TabLinks } from "@/components/ui/tab-links.tsx";
import { readHome } from "./read-side.ts";

type ActivityHeaderProps = {
  view: "requests" | "errors" | "reconcile";
  /** Links between the views keep the side and the time. */
  query: string;
  actions?: ReactNode;
};

/** The head that the three views of activity share. */
export async function ActivityHeader({ view, query, actions }: ActivityHeaderProps) {
  const { builder } = await readHome();
  return (
    <>
      <PageHeader title="Activity" actions={actions}>
        What was asked, what was answered, and what the money did.
      </PageHeader>
      <TabLinks
        label="Views of activity"
        className="mb-5"
        tabs={[
          { href: `/activity?${query}`, label: "Requests", isCurrent: view === "requests" },
          { href: `/activity/errors?${query}`, label: "Errors", isCurrent: view === "errors" },
          {
            href: "/activity/reconcile",
            label: "Reconcile",
            isCurrent: view === "reconcile",
            count: builder.unsettled,
          },
        ]}
      />
    </>
  );
}
