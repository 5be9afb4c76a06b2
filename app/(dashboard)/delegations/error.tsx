"use client";

import { type ErrorPageProps, PageFailed } from "@/components/page-failed.tsx";

export default function DelegationsError(props: ErrorPageProps) {
  return <PageFailed title="Delegations" what="Delegations" {...props} />;
}
