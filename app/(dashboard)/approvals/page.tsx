import { readListed } from "@/app/_session/operations.ts";
import { ApprovalCard } from "@/components/budgets/approval-list.tsx";
import { cursorPages, listHref } from "@/components/list-query.ts";
import type { Searched } from "@/components/search-params.ts";
import { Pagination } from "@/components/ui/data/pagination.tsx";
import { SegmentedLinks } from "@/components/ui/fields/segmented-control.tsx";
import { NothingYet } from "@/components/ui/nothing-yet.tsx";
import { PageHeader } from "@/components/ui/page-header.tsx";
import * as actions from "./actions.ts";

export const metadata = { title: "Approvals" };

const PATH = "/approvals";

export default async function ApprovalsPage({
  searchParams,
}: Searched<{ show?: string; cursor?: string }>) {
  const { show, cursor } = await searchParams;
  const isAll = show === "everything";
  const hrefOf = (next?: string) =>
    listHref(PATH, { show: isAll ? show : undefined, cursor: next });
  const query = { ...(!isAll && { status: "pending" as const }), cursor };
  const page = await readListed("listApprovals", query, hrefOf());
  const links = [
    { href: PATH, label: "Waiting", isCurrent: !isAll },
    { href: listHref(PATH, { show: "everything" }), label: "All", isCurrent: isAll },
  ];
  return (
    <>
      <PageHeader title="Approvals">
        Requests that your budgets hold for approval. The first decision is final.
      </PageHeader>
      <div className="mb-4">
        <SegmentedLinks label="Show" links={links} />
      </div>
      {page.items.length === 0 ? (
        <NothingYet
          title={isAll ? "No requests yet" : "No requests to approve"}
          action="Open budgets"
          href="/settings/budgets"
        >
          Requests appear here when a budget asks for your approval.
        </NothingYet>
      ) : (
        <div className="grid max-w-180 gap-4">
          {page.items.map((approval) => (
            <ApprovalCard
              key={approval.approvalId}
              approval={approval}
              actions={actions}
              isLinked
            />
          ))}
          <Pagination
            {...cursorPages("approvals", hrefOf, { cursor, nextCursor: page.nextCursor })}
          />
        </div>
      )}
    </>
  );
}
