import { cache } from "react";
import { read } from "@/app/_session/operations.ts";
import { activityHref } from "@/components/activity/filter/activity-filter.ts";
import { customerFigures } from "@/components/business/business-figures.tsx";
import { CustomerHistory } from "@/components/business/customer-history.tsx";
import { customerName } from "@/components/business/customer-name.ts";
import { LostCauses } from "@/components/business/lost-causes.tsx";
import { RecentCalls } from "@/components/business/recent-calls.tsx";
import type { Routed } from "@/components/search-params.ts";
import { Visited } from "@/components/shell/visited.tsx";
import { Figures } from "@/components/ui/data/figures.tsx";
import { PageHeader } from "@/components/ui/page-header.tsx";
import { Address } from "@/components/ui/values/address.tsx";
import { CopyButton } from "@/components/ui/values/copy-button.tsx";
import { TimeAgo } from "@/components/ui/values/time-ago.tsx";
import * as refundActions from "../../balance/refund-actions.ts";

const LAST_CALLS = 25;

const readCustomer = cache((address: string) => read("getCustomer", { address }));

export async function generateMetadata({ params }: Routed<"address">) {
  const customer = await readCustomer((await params).address).catch(() => null);
  return { title: customer ? customerName(customer) : "Customer" };
}

export default async function CustomerPage({ params }: Routed<"address">) {
  const { address } = await params;
  const customer = await readCustomer(address);
  const calls = await read("listRequests", { role: "builder", payer: address, limit: LAST_CALLS });
  const name = customerName(customer);
  // The name of one who gave none is the address.
  const aside =
    name === customer.name ? (
      <Address value={address} name="customer address" />
    ) : (
      <CopyButton text={address} label="Copy customer address" />
    );
  return (
    <>
      <Visited href={`/customers/${address}`} name={name} kind="Customer" />
      <PageHeader title={name} aside={aside}>
        Customer since <TimeAgo at={customer.since} form="full" />, last seen{" "}
        <TimeAgo at={customer.lastSeenAt} />
      </PageHeader>
      <h2 className="sr-only">Customer figures</h2>
      <Figures figures={customerFigures(customer)} />
      <div className="grid gap-x-8 xl:grid-cols-[minmax(0,1fr)_22rem]">
        <div className="min-w-0">
          <LostCauses causes={customer.causes} />
          <RecentCalls
            rows={calls.items}
            all={activityHref({ role: "builder", range: "30d", money: [], payer: address })}
            empty="Calls that this customer pays for appear here with their payment status."
          />
        </div>
        <CustomerHistory customer={customer} refundActions={refundActions} />
      </div>
    </>
  );
}
