"use client";

import { type ErrorPageProps, PageFailed } from "@/components/page-failed.tsx";

export default function ExploreError(props: ErrorPageProps) {
  return <PageFailed title="Explore" what="Plans" {...props} />;
}
