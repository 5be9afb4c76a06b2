"use client";

import { type ErrorPageProps, PageFailed } from "@/components/page-failed.tsx";

export default function PublicAgentError(props: ErrorPageProps) {
  return <PageFailed title="Agent" what="The agent" {...props} />;
}
