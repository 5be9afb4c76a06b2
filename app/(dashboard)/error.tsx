"use client";

import { type ErrorPageProps, useRetry } from "@/components/page-failed.tsx";
import { ErrorState } from "@/components/ui/error-state.tsx";

/** The error page of the dashboard. The frame around it stays. */
export default function DashboardError({ error, reset }: ErrorPageProps) {
  const retry = useRetry(reset);
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
