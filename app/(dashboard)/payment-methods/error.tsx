"use client";

import { SectionError } from "@/components/subscriptions/section-error.tsx";

type ErrorPageProps = { error: Error & { digest?: string }; reset: () => void };

export default function CardsError(props: ErrorPageProps) {
  return <SectionError what="Cards" {...props} />;
}
