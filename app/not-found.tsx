import { PageNotFound } from "@/components/page-not-found.tsx";

export const metadata = { title: "Not found" };

export default function NotFoundPage() {
  return (
    <PageNotFound title="There is no page at this address.">
      It may have moved, or the address may be mistyped. Nothing was charged.
    </PageNotFound>
  );
}
