import { ButtonLink } from "@/components/ui/button-link.tsx";
import { Empty } from "@/components/ui/empty.tsx";

export default function CheckoutNotFound() {
  return (
    <>
      <h1 className="sr-only">Order not found</h1>
      <Empty
        headingLevel={2}
        kind="filtered"
        title="Order not found"
        actions={<ButtonLink href="/subscriptions">View subscriptions</ButtonLink>}
      >
        Check the URL. The plan or order may belong to another account. Nothing was charged.
      </Empty>
    </>
  );
}
