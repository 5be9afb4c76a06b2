"use client";

import { type ErrorPageProps, PageFailed } from "@/components/page-failed.tsx";

export default function SubscriptionsError(props: ErrorPageProps) {
  return <PageFailed title="Subscriptions" what="Subscriptions" {...props} />;
}
