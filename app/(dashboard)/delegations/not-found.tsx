import { SectionNotFound } from "@/components/subscriptions/section-not-found.tsx";

export default function DelegationsNotFound() {
  return <SectionNotFound what="delegation" href="/delegations" />;
}
