"use client";

import { type ErrorPageProps, PageFailed } from "@/components/page-failed.tsx";

export default function WithdrawError(props: ErrorPageProps) {
  return <PageFailed what="Your addresses" {...props} />;
}
