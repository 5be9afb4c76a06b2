"use client";

import { type ErrorPageProps, PageFailed } from "@/components/page-failed.tsx";

export default function PlansError(props: ErrorPageProps) {
  return <PageFailed title="Plans" what="Plans" {...props} />;
}
