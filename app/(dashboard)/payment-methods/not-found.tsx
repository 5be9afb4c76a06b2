import { SectionNotFound } from "@/components/subscriptions/section-not-found.tsx";

export default function CardsNotFound() {
  return <SectionNotFound what="card" href="/payment-methods" />;
}
