"use client";

import { ErrorState } from "../ui/error-state.tsx";

type SectionErrorProps = {
  /** What could not be read: "Tokens". */
  what: string;
  error: Error & { digest?: string };
  reset: () => void;
};

/** A page that could not be read; the frame around it stays. */
export function SectionError({ what, error, reset }: SectionErrorProps) {
  return (
    <>
      <h1 className="text-h1">{what}</h1>
      <ErrorState
        headingLevel={2}
        title={`${what} could not be read`}
        onRetry={reset}
        {...(error.digest && { requestId: error.digest })}
      >
        Nothing was charged or changed by looking.
      </ErrorState>
    </>
  );
}
