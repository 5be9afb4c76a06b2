"use client";

import { type ErrorPageProps, PageFailed } from "@/components/page-failed.tsx";

export default function CardsError(props: ErrorPageProps) {
  return <PageFailed title="Cards" what="Cards" {...props} />;
}
