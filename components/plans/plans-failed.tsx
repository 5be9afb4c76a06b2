"use client";

import { useRouter } from "next/navigation";
import { startTransition } from "react";
import { ErrorState } from "../ui/error-state.tsx";
import { PageHeader } from "../ui/page-header.tsx";
import { TableFrame } from "../ui/table.tsx";

type PlansFailedProps = {
  title: string;
  what: string;
  error: { digest?: string };
  onRetry: () => void;
};

/** A page of plans that could not be read, with the way to try again; the frame around it stays. */
export function PlansFailed({ title, what, error, onRetry }: PlansFailedProps) {
  const router = useRouter();
  const retry = () =>
    startTransition(() => {
      // The server's part is read anew before it is shown again.
      router.refresh();
      onRetry();
    });
  return (
    <>
      <PageHeader title={title} />
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
    </>
  );
}
