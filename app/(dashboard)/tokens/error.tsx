"use client";

import { SectionError } from "@/components/subscriptions/section-error.tsx";

export default function TokensError(props: {
  error: Error & { digest?: string };
  reset: () => void;
}) {
  return <SectionError what="Tokens" {...props} />;
}
