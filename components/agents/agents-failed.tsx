"use client";

import { useRouter } from "next/navigation";
import { startTransition } from "react";
import { ErrorState } from "../ui/error-state.tsx";
import { TableFrame } from "../ui/table.tsx";

/** Stands where agents could not be read, with the way to try again; the frame around it stays. */
export function AgentsFailed({
  what,
  error,
  onRetry,
}: {
  what: string;
  error: { digest?: string };
  onRetry: () => void;
}) {
  const router = useRouter();
  const retry = () =>
    startTransition(() => {
      // The server's part is read anew before it is shown again.
      router.refresh();
      onRetry();
    });
  return (
    <TableFrame>
      <ErrorState
        headingLevel={2}
        title={what}
        onRetry={retry}
        {...(error.digest && { requestId: error.digest })}
      >
        Reading charges nothing and changes nothing.
      </ErrorState>
    </TableFrame>
  );
}
