"use client";

import { type ErrorPageProps, PageFailed } from "@/components/page-failed.tsx";

export default function RefundsError(props: ErrorPageProps) {
  return <PageFailed title="Refunds" what="Refunds" {...props} />;
}
