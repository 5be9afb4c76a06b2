import { SectionNotFound } from "@/components/subscriptions/section-not-found.tsx";

export default function DisputeNotFound() {
  return <SectionNotFound what="dispute" href="/balance/disputes" />;
}
