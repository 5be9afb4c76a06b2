"use client";

import { type ErrorPageProps, useRetry } from "@/components/page-failed.tsx";
import { ErrorState } from "@/components/ui/error-state.tsx";

/** For a page without an error page of its own: the frame stays, and so does who is signed in. */
export default function DashboardError({ error, reset }: ErrorPageProps) {
  const retry = useRetry(reset);
  return (
    <>
      <h1 className="sr-only">This page could not be read</h1>
      <ErrorState
        headingLevel={2}
        title="This page could not be read"
        onRetry={retry}
        {...(error.digest && { requestId: error.digest })}
      >
        Showing a page never charges anything.
      </ErrorState>
    </>
  );
}
