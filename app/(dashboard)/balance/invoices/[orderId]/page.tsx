import { read } from "@/app/_session/operations.ts";
import { balanceMoney } from "@/components/balance/balance-text.ts";
import { buttonLook } from "@/components/ui/button-look.ts";
import { Card } from "@/components/ui/card.tsx";
import { DefinitionList, type Definitions } from "@/components/ui/data/definition-list.tsx";
import { Icon } from "@/components/ui/icon.tsx";
import { PageHeader } from "@/components/ui/page-header.tsx";
import { Address } from "@/components/ui/values/address.tsx";
import { Identifier } from "@/components/ui/values/identifier.tsx";
import { TimeAgo } from "@/components/ui/values/time-ago.tsx";

export const metadata = { title: "Invoice", robots: { index: false } };

type InvoicePageProps = { params: Promise<{ orderId: string }> };

export default async function InvoicePage({ params }: InvoicePageProps) {
  const { orderId } = await params;
  const invoice = await read("getInvoice", { orderId });
  const { number, issuedAt, seller, buyer, amount, refunded, currency, reference } = invoice;
  const facts: Definitions = [
    { term: "Paid", value: balanceMoney(amount, currency) },
    refunded !== "0" && { term: "Refunded since", value: balanceMoney(refunded, currency) },
    { term: "Date", value: <TimeAgo at={issuedAt} form="full" /> },
    { term: "Seller", value: <Party {...seller} side="seller" /> },
    { term: "Buyer", value: <Party {...buyer} side="buyer" /> },
    { term: "Plan", value: invoice.planName },
    { term: "Order", value: <Identifier value={invoice.orderId} name="order ID" /> },
    reference !== undefined && {
      term: "Payment",
      value: <Identifier value={reference} name="payment" />,
    },
  ];
  return (
    <div className="max-w-180">
      <PageHeader
        title={`Invoice ${number}`}
        actions={
          <a href={`/balance/invoices/${orderId}/pdf`} download className={buttonLook()}>
            <Icon name="download" />
            Download PDF
          </a>
        }
      >
        The seller numbers paid orders without a gap.
      </PageHeader>
      <h2 className="sr-only">Seller, buyer and price</h2>
      <Card isPadded={false} className="px-(--card-pad) py-2">
        <DefinitionList items={facts} />
      </Card>
    </div>
  );
}

function Party({ address, name, side }: { address: string; name?: string; side: string }) {
  return (
    <span className="flex flex-wrap items-center gap-x-2">
      {name && <bdi className="wrap-anywhere">{name}</bdi>}
      <Address value={address} name={side} />
    </span>
  );
}
