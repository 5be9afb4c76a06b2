"use client";

import { type ErrorPageProps, PageFailed } from "@/components/page-failed.tsx";

export default function BudgetsError(props: ErrorPageProps) {
  return <PageFailed title="Budgets" what="Budgets" {...props} />;
}
