"use client";

import { type ErrorPageProps, PageFailed } from "@/components/page-failed.tsx";

export default function DisputesError(props: ErrorPageProps) {
  return <PageFailed title="Disputes" what="Disputes" {...props} />;
}
