"use client";

import { PlansFailed } from "@/components/plans/plans-failed.tsx";

type ErrorProps = { error: Error & { digest?: string }; reset: () => void };

export default function PublicPlanError({ error, reset }: ErrorProps) {
  return (
    <PlansFailed title="Plan" what="The plan could not be read" error={error} onRetry={reset} />
  );
}
