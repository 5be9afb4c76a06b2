"use client";

import { type ErrorPageProps, PageFailed } from "@/components/page-failed.tsx";

export default function BalanceError(props: ErrorPageProps) {
  return <PageFailed what="Your balance" {...props} />;
}
