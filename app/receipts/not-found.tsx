import { PageNotFound } from "@/components/page-not-found.tsx";

export const metadata = { title: "Receipt not found" };

export default function ReceiptNotFound() {
  return (
    <PageNotFound title="There is no receipt at this address.">
      A receipt’s id comes with the answer of a paid call. Check that the address is whole.
    </PageNotFound>
  );
}
