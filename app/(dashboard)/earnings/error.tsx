"use client";

import { SectionError, type SectionErrorProps } from "@/components/activity/section-error.tsx";

export default function EarningsError(props: Pick<SectionErrorProps, "error" | "reset">) {
  return <SectionError title="Earnings" what="Your earnings" {...props} />;
}
