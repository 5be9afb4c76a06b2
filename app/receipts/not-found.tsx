import { PageNotFound } from "@/components/page-not-found.tsx";

export const metadata = { title: "Receipt not found" };

export default function ReceiptNotFound() {
  return (
    <PageNotFound title="Receipt not found">
      Check that the URL is complete. The receipt ID is part of each paid call’s response.
    </PageNotFound>
  );
}
