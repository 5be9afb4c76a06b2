"use client";

import { type ErrorPageProps, PageFailed } from "@/components/page-failed.tsx";

export default function TokensError(props: ErrorPageProps) {
  return <PageFailed title="Tokens" what="Tokens" {...props} />;
}
