"use client";

import { type ErrorPageProps, PageFailed } from "@/components/page-failed.tsx";

export default function StatementsError(props: ErrorPageProps) {
  return <PageFailed what="Your statements" {...props} />;
}
