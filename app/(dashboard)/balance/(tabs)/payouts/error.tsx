"use client";

import { type ErrorPageProps, PageFailed } from "@/components/page-failed.tsx";

export default function PayoutsError(props: ErrorPageProps) {
  return <PageFailed what="Your payouts" {...props} />;
}
