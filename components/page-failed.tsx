"use client";

import { useRouter } from "next/navigation";
import { startTransition } from "react";
import { Card } from "./ui/card.tsx";
import { ErrorState } from "./ui/error-state.tsx";
import { PageHeader } from "./ui/page-header.tsx";

/** What Next gives an error page. */
export type ErrorPageProps = { error: Error & { digest?: string }; reset: () => void };

type PageFailedProps = ErrorPageProps & {
  /** The page's heading; left out where a layout has it. */
  title?: string;
  /** What could not be read: "Plans". */
  what: string;
};

/** Stands where a page could not be read, with the way to try again; the frame around it stays. */
export function PageFailed({ title, what, error, reset }: PageFailedProps) {
  const retry = useRetry(reset);
  return (
    <>
      {title && <PageHeader title={title} />}
      <Card isPadded={false}>
        <ErrorState
          headingLevel={2}
          title={`${what} could not be read`}
          onRetry={retry}
          {...(error.digest && { requestId: error.digest })}
        >
          Reading charges nothing and changes nothing.
        </ErrorState>
      </Card>
    </>
  );
}

/** Reads the server's part of a page anew before it is shown again; `reset` alone shows the failure once more. */
export function useRetry(reset: () => void): () => void {
  const router = useRouter();
  return () =>
    startTransition(() => {
      router.refresh();
      reset();
    });
}
