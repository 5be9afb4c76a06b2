"use client";

import { AgentsFailed } from "@/components/agents/agents-failed.tsx";

type ErrorProps = { error: Error & { digest?: string }; reset: () => void };

export default function AgentError({ error, reset }: ErrorProps) {
  return <AgentsFailed what="The agent could not be read" error={error} onRetry={reset} />;
}
