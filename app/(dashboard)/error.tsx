"use client";

import { usePathname } from "next/navigation";
import { type ErrorPageProps, PageFailed, useRetry } from "@/components/page-failed.tsx";
import { ErrorState } from "@/components/ui/error-state.tsx";

/** What the pages of a section show, by the first part of their path. */
const SECTIONS: Record<string, { title: string; what: string }> = {
  activity: { title: "Activity", what: "Your requests" },
  agents: { title: "Agents", what: "Agents" },
  alerts: { title: "Alerts", what: "Alerts" },
  approvals: { title: "Approvals", what: "Approvals" },
  customers: { title: "Customers", what: "Customers" },
  delegations: { title: "Delegations", what: "Delegations" },
  earnings: { title: "Earnings", what: "Your earnings" },
  home: { title: "Home", what: "Your dashboard" },
  "payment-methods": { title: "Cards", what: "Cards" },
  subscriptions: { title: "Subscriptions", what: "Subscriptions" },
  tokens: { title: "Tokens", what: "Tokens" },
};

/** The error page of the dashboard. The frame around it stays. */
export default function DashboardError(props: ErrorPageProps) {
  const { error, reset } = props;
  const retry = useRetry(reset);
  const section = SECTIONS[usePathname().split("/")[1] ?? ""];
  if (section) return <PageFailed {...section} {...props} />;
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
