"use client";

import { type ErrorPageProps, PageFailed } from "@/components/page-failed.tsx";

export default function CustomersError(props: ErrorPageProps) {
  return <PageFailed title="Customers" what="Customers" {...props} />;
}
