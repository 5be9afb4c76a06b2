import { SectionNotFound } from "@/components/subscriptions/section-not-found.tsx";

export default function InvoiceNotFound() {
  return <SectionNotFound what="invoice" href="/balance/statements" />;
}
