"use client";

import { type ErrorPageProps, PageFailed } from "@/components/page-failed.tsx";

export default function HomeError(props: ErrorPageProps) {
  return <PageFailed title="Home" what="Your dashboard" {...props} />;
}
