"use client";

import { type ErrorPageProps, PageFailed } from "@/components/page-failed.tsx";

export default function ActivityError(props: ErrorPageProps) {
  return <PageFailed title="Activity" what="Your requests" {...props} />;
}
