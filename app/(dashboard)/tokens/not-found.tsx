import { SectionNotFound } from "@/components/subscriptions/section-not-found.tsx";

export default function TokenNotFound() {
  return <SectionNotFound what="token" href="/tokens" />;
}
