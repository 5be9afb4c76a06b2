"use client";

import { type ErrorPageProps, PageFailed } from "@/components/page-failed.tsx";

export default function AgentsError(props: ErrorPageProps) {
  return <PageFailed title="Agents" what="Agents" {...props} />;
}
