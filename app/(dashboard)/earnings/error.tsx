"use client";

import { type ErrorPageProps, PageFailed } from "@/components/page-failed.tsx";

export default function EarningsError(props: ErrorPageProps) {
  return <PageFailed title="Earnings" what="Your earnings" {...props} />;
}
