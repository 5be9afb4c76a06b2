"use client";

import { type ErrorPageProps, PageFailed } from "@/components/page-failed.tsx";

export default function ApprovalsError(props: ErrorPageProps) {
  return <PageFailed title="Approvals" what="Approvals" {...props} />;
}
