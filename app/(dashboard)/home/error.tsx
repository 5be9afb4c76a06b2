"use client";

import { SectionError, type SectionErrorProps } from "@/components/activity/section-error.tsx";

export default function HomeError(props: Pick<SectionErrorProps, "error" | "reset">) {
  return <SectionError title="Home" what="Your figures" {...props} />;
}
