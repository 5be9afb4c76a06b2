"use client";

import { ErrorState } from "@/components/ui/error-state.tsx";

type ErrorPageProps = { error: Error & { digest?: string }; reset: () => void };

export default function CheckoutError({ error, reset }: ErrorPageProps) {
  return (
    <div className="mx-auto max-w-120">
      <h1 className="sr-only">The order could not be shown</h1>
      <ErrorState
        headingLevel={2}
        title="The order could not be shown"
        onRetry={reset}
        {...(error.digest && { requestId: error.digest })}
      >
        Showing a page charges nothing. An order that is under way goes on without it.
      </ErrorState>
    </div>
  );
}
