import { ButtonLink } from "@/components/ui/button-link.tsx";
import { Empty } from "@/components/ui/empty.tsx";

export default function CheckoutNotFound() {
  return (
    <>
      <h1 className="sr-only">Nothing to order here</h1>
      <Empty
        headingLevel={2}
        kind="filtered"
        title="There is no such plan or order of yours"
        actions={<ButtonLink href="/subscriptions">Your subscriptions</ButtonLink>}
      >
        The address may be mistyped, or it belongs to another account. Nothing was charged.
      </Empty>
    </>
  );
}
