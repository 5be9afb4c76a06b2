"use client";

import { type ErrorPageProps, PageFailed } from "@/components/page-failed.tsx";

export default function PlanError(props: ErrorPageProps) {
  return <PageFailed title="Plan" what="The plan" {...props} />;
}
