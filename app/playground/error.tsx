"use client";

import { type ErrorPageProps, PageFailed } from "@/components/page-failed.tsx";

export default function PlaygroundError(props: ErrorPageProps) {
  return <PageFailed title="Playground" what="The playground" {...props} />;
}
