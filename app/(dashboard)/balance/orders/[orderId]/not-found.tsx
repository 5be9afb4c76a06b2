import { SectionNotFound } from "@/components/subscriptions/section-not-found.tsx";

export default function OrderNotFound() {
  return <SectionNotFound what="order" href="/balance" />;
}
