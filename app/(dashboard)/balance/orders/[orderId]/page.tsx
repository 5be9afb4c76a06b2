import type { Refundable } from "@turnpike/payments/protocol";
import { notFound } from "next/navigation";
import { read, readPublic } from "@/app/_session/operations.ts";
import { requireSession } from "@/app/_session/session.ts";
import { RefundOrder } from "@/components/refunds/refund-order.tsx";
import { RefundTable } from "@/components/refunds/refund-table.tsx";
import type { Routed } from "@/components/search-params.ts";
import { ButtonLink } from "@/components/ui/button-link.tsx";
import { Figures } from "@/components/ui/data/figures.tsx";
import { Empty } from "@/components/ui/empty.tsx";
import { PageHeader } from "@/components/ui/page-header.tsx";
import { Address } from "@/components/ui/values/address.tsx";
import { currencyMoney } from "@/components/ui/values/currency-money.ts";
import { Identifier } from "@/components/ui/values/identifier.tsx";
import { groupDigits } from "@/components/ui/values/money-text.ts";
import { TimeAgo } from "@/components/ui/values/time-ago.tsx";
import * as actions from "../../refund-actions.ts";

export const metadata = { title: "Sale" };

/** An order of one of the builder's plans: what was paid, what went back, and the button that refunds it. */
export default async function SalePage({ params }: Routed<"orderId">) {
  const { orderId } = await params;
  const [{ account }, order, refunds] = await Promise.all([
    requireSession(),
    read("getRefundable", { orderId }),
    read("listRefunds", { role: "builder", orderId, limit: 50 }),
  ]);
  const { planId, planName, subscriber, currency, paid, refunded, left, credits } = order;
  const plan = await readPublic("getPlan", { planId });
  // The order's subscriber may read the same, and has a page of their own.
  if (plan?.owner !== account.address) notFound();
  const isSettled = left === "0";
  return (
    <>
      <PageHeader
        title={`Sale of ${planName}`}
        aside={<Identifier value={orderId} name="order ID" />}
        actions={
          <>
            <ButtonLink href={`/customers/${subscriber}`}>View customer</ButtonLink>
            {!isSettled && <RefundOrder orderId={orderId} actions={actions} />}
          </>
        }
      >
        Sold <TimeAgo at={order.createdAt} form="full" /> to{" "}
        <Address value={subscriber} name="customer address" />
      </PageHeader>
      <h2 className="sr-only">Amounts</h2>
      <Figures
        figures={[
          { label: "Paid", value: currencyMoney(paid, currency) },
          { label: "Refunded", value: currencyMoney(refunded, currency) },
          {
            label: "Can be refunded",
            value: currencyMoney(left, currency),
            note: isSettled ? undefined : `Unused part: ${currencyMoney(order.unused, currency)}`,
          },
          ...(plan.metadata.plan.accessLimit === "credits" ? [creditsLeft(credits)] : []),
        ]}
      />
      <h2 className="mt-8 mb-3 text-h2">Refunds</h2>
      <RefundTable
        refunds={refunds.items.map((row) => ({ ...row, planName }))}
        actions={actions}
        empty={
          <Empty kind="filtered" title="No refunds for this order">
            A refund removes the unused credits, then returns the payment.
          </Empty>
        }
      />
    </>
  );
}

const creditsLeft = ({ available, used, granted }: Refundable["credits"]) => ({
  label: "Credits left",
  value: groupDigits(available),
  note: `${groupDigits(used)} of ${groupDigits(granted)} used`,
});
