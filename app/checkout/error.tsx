"use client";

import { type ErrorPageProps, useRetry } from "@/components/page-failed.tsx";
import { ErrorState } from "@/components/ui/error-state.tsx";

export default function CheckoutError({ error, reset }: ErrorPageProps) {
  const retry = useRetry(reset);
  return (
    <div className="mx-auto max-w-120">
      <h1 className="sr-only">The order could not be loaded</h1>
      <ErrorState
        headingLevel={2}
        title="The order could not be loaded"
        onRetry={retry}
        {...(error.digest && { requestId: error.digest })}
      >
        Nothing was charged by opening this page. An order in progress continues.
      </ErrorState>
    </div>
  );
}
