"use client";

import { type ErrorPageProps, PageFailed } from "@/components/page-failed.tsx";

export default function AlertsError(props: ErrorPageProps) {
  return <PageFailed title="Alerts" what="Alerts" {...props} />;
}
