"use client";

import { Card } from "../ui/card.tsx";
import { ErrorState } from "../ui/error-state.tsx";
import { PageHeader } from "../ui/page-header.tsx";

export type SectionErrorProps = {
  title: string;
  /** What could not be read. */
  what: string;
  error: Error & { digest?: string };
  reset: () => void;
};

/** A page that could not be read, inside the shell. */
export function SectionError({ title, what, error, reset }: SectionErrorProps) {
  return (
    <>
      <PageHeader title={title} />
      <h2 className="sr-only">What happened</h2>
      <Card>
        <ErrorState
          headingLevel={2}
          title={`${what} could not be read`}
          onRetry={reset}
          requestId={error.digest}
        >
          Nothing was changed and nothing was charged.
        </ErrorState>
      </Card>
    </>
  );
}
