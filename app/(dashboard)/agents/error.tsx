"use client";

import { AgentsFailed } from "@/components/agents/agents-failed.tsx";
import { PageHeader } from "@/components/ui/page-header.tsx";

type ErrorProps = { error: Error & { digest?: string }; reset: () => void };

export default function AgentsError({ error, reset }: ErrorProps) {
  return (
    <>
      <PageHeader title="Agents" />
      <AgentsFailed what="Agents could not be read" error={error} onRetry={reset} />
    </>
  );
}
