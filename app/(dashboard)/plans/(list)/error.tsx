"use client";

import { PlansFailed } from "@/components/plans/plans-failed.tsx";

type ErrorProps = { error: Error & { digest?: string }; reset: () => void };

export default function PlansError({ error, reset }: ErrorProps) {
  return <PlansFailed title="Plans" what="Plans could not be read" error={error} onRetry={reset} />;
}
