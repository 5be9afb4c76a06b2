import { read } from "@/app/_session/operations.ts";
import type { Routed } from "@/components/search-params.ts";
import { Visited } from "@/components/shell/visited.tsx";
import { buttonLook } from "@/components/ui/button-look.ts";
import { Card } from "@/components/ui/card.tsx";
import { DefinitionList, type Definitions } from "@/components/ui/data/definition-list.tsx";
import { Icon } from "@/components/ui/icon.tsx";
import { PageHeader, Section } from "@/components/ui/page-header.tsx";
import { Address } from "@/components/ui/values/address.tsx";
import { currencyMoney } from "@/components/ui/values/currency-money.ts";
import { Identifier } from "@/components/ui/values/identifier.tsx";
import { StatePill } from "@/components/ui/values/state-pill.tsx";
import { TimeAgo } from "@/components/ui/values/time-ago.tsx";
import { dateText } from "@/components/ui/values/time-text.ts";

export const metadata = { title: "Invoice", robots: { index: false } };

export default async function InvoicePage({ params }: Routed<"orderId">) {
  const { orderId } = await params;
  const invoice = await read("getInvoice", { orderId });
  const { number, issuedAt, seller, buyer, amount, refunded, currency, reference } = invoice;
  const facts: Definitions = {
    Paid: <TimeAgo at={issuedAt} form="full" />,
    Seller: <Party {...seller} side="seller" />,
    Buyer: <Party {...buyer} side="buyer" />,
    Order: <Identifier value={invoice.orderId} name="order ID" />,
    Payment: reference !== undefined && <Identifier value={reference} name="payment" />,
  };
  const money = (value: string) => (
    <span className="tabular-nums">{currencyMoney(value, currency)}</span>
  );
  const lines: Definitions = {
    [`Plan ${invoice.planName}`]: money(amount),
    "Total paid": <b className="font-semibold">{money(amount)}</b>,
    "Refunded since": refunded !== "0" && money(refunded),
  };
  return (
    <div className="max-w-180">
      <Visited href={`/balance/invoices/${orderId}`} name={`Invoice ${number}`} kind="Invoice" />
      <PageHeader
        title={`Invoice ${number}`}
        aside={
          refunded === "0" ? (
            <StatePill tone="good">Paid</StatePill>
          ) : (
            <StatePill tone="neutral">
              {refunded === amount ? "Refunded" : "Partly refunded"}
            </StatePill>
          )
        }
        actions={
          <a href={`/balance/invoices/${orderId}/pdf`} download className={buttonLook()}>
            <Icon name="download" />
            Download PDF
          </a>
        }
      >
        Issued by the seller on {dateText(new Date(issuedAt))}.
      </PageHeader>
      <h2 className="sr-only">Seller and buyer</h2>
      <Card isPadded={false} className="px-(--card-pad) py-2">
        <DefinitionList items={facts} />
      </Card>
      <Section id="invoice-items" title="Items">
        <Card isPadded={false} className="px-(--card-pad) py-2">
          <DefinitionList look="split" items={lines} />
        </Card>
      </Section>
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
