"use client";

import { usePathname } from "next/navigation";
import { type ErrorPageProps, PageFailed, useRetry } from "@/components/page-failed.tsx";
import { ErrorState } from "@/components/ui/error-state.tsx";

type Section = {
  title: string;
  what: string;
  /** What a page below the list shows, where its id is the next part of the path. */
  one?: string;
};

/** What the pages of a section show, by the first part of their path. */
const SECTIONS: Record<string, Section> = {
  activity: { title: "Activity", what: "Your requests" },
  agents: { title: "Agents", what: "Agents", one: "agent" },
  alerts: { title: "Alerts", what: "Alerts" },
  approvals: { title: "Approvals", what: "Approvals", one: "approval" },
  customers: { title: "Customers", what: "Customers", one: "customer" },
  delegations: { title: "Delegations", what: "Delegations", one: "delegation" },
  earnings: { title: "Earnings", what: "Your earnings" },
  home: { title: "Home", what: "Your dashboard" },
  "payment-methods": { title: "Cards", what: "Cards" },
  plans: { title: "Plans", what: "Plans", one: "plan" },
  subscriptions: { title: "Subscriptions", what: "Subscriptions", one: "subscription" },
  tokens: { title: "Tokens", what: "Tokens", one: "access token" },
};
const FORMS = ["new", "inspect"];

/** Also where an object's own layout could not be loaded, which its error page is inside of. */
function failedAt(pathname: string): Pick<Section, "title" | "what"> | undefined {
  const [, first = "", id] = pathname.split("/");
  const section = Object.hasOwn(SECTIONS, first) ? SECTIONS[first] : undefined;
  const { one } = section ?? {};
  if (!one || !id || FORMS.includes(id)) return section;
  return { title: `${one[0]?.toUpperCase()}${one.slice(1)}`, what: `The ${one}` };
}

/** The error page of the dashboard. The frame around it stays. */
export default function DashboardError(props: ErrorPageProps) {
  const { error, reset } = props;
  const retry = useRetry(reset);
  const section = failedAt(usePathname());
  if (section) return <PageFailed title={section.title} what={section.what} {...props} />;
  return (
    <>
      <h1 className="sr-only">This page could not be loaded</h1>
      <ErrorState
        headingLevel={2}
        title="This page could not be loaded"
        onRetry={retry}
        {...(error.digest && { requestId: error.digest })}
      >
        Nothing was charged.
      </ErrorState>
    </>
  );
}
