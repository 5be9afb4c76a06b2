import { read } from "@/app/_session/operations.ts";
import { CustomerTable } from "@/components/business/customer-table.tsx";
import { tabHref } from "@/components/plans/plan-tabs.ts";
import { ButtonLink } from "@/components/ui/button-link.tsx";
import { Empty } from "@/components/ui/empty.tsx";

export async function SubscribersTab({ planId, cursor }: { planId: string; cursor?: string }) {
  const page = await read("listCustomers", { planId, ...(cursor && { cursor }) });
  const path = tabHref(planId, "subscribers");
  return (
    <div className="mt-6">
      <CustomerTable
        rows={page.items}
        total={page.total}
        {...(cursor && { newer: path })}
        {...(page.nextCursor && { older: `${path}&cursor=${encodeURIComponent(page.nextCursor)}` })}
        empty={
          <Empty
            kind="first"
            headingLevel={2}
            title="No subscribers yet"
            actions={<ButtonLink href={`/p/${planId}`}>Open public page</ButtonLink>}
          >
            Subscribers appear here with their remaining credits.
          </Empty>
        }
      />
    </div>
  );
}
