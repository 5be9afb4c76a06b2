import { SectionNotFound } from "@/components/subscriptions/section-not-found.tsx";

export default function SubscriptionsNotFound() {
  return <SectionNotFound what="subscription" href="/subscriptions" />;
}
