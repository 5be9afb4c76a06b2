import { SectionNotFound } from "@/components/subscriptions/section-not-found.tsx";

export default function CustomerNotFound() {
  return <SectionNotFound what="customer" href="/customers" />;
}
