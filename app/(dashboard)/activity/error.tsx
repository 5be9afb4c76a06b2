"use client";

import { SectionError, type SectionErrorProps } from "@/components/activity/section-error.tsx";

export default function ActivityError(props: Pick<SectionErrorProps, "error" | "reset">) {
  return <SectionError title="Activity" what="Your requests" {...props} />;
}
