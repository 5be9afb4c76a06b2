"use client";

import { type ErrorPageProps, PageFailed } from "@/components/page-failed.tsx";

export default function AgentError(props: ErrorPageProps) {
  return <PageFailed what="The agent" {...props} />;
}
