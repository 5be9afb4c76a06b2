import { read, readListed } from "@/app/_session/operations.ts";
import { choiceLinks, cursorPages, listHref } from "@/components/list-query.ts";
import type { Searched } from "@/components/search-params.ts";
import { AuditTable } from "@/components/settings/audit-table.tsx";
import { AUDIT_GROUPS } from "@/components/settings/audit-text.ts";
import { DownloadCsv } from "@/components/ui/download-csv.tsx";
import { NothingFits } from "@/components/ui/fields/nothing-fits.tsx";
import { SegmentedLinks } from "@/components/ui/fields/segmented-control.tsx";
import { NothingYet } from "@/components/ui/nothing-yet.tsx";
import { PageHeader } from "@/components/ui/page-header.tsx";
import { TextLink } from "@/components/ui/text-link.tsx";
import { shownOf } from "@/lib/text/plural.ts";

export const metadata = { title: "Audit log" };

const PATH = "/settings/audit";
const PAGE_SIZE = 50;

export default async function AuditPage({
  searchParams,
}: Searched<{ show?: string; key?: string; cursor?: string }>) {
  const { show, key, cursor } = await searchParams;
  const action = show !== undefined && show in AUDIT_GROUPS ? show : undefined;
  const hrefOf = (next?: string) => listHref(PATH, { show: action, key, cursor: next });
  const [{ items, nextCursor, total }, { items: keys }] = await Promise.all([
    readListed(
      "listAudit",
      { limit: PAGE_SIZE, ...(action && { action }), ...(key && { keyId: key }), cursor },
      hrefOf(),
    ),
    read("listApiKeys", {}),
  ]);
  const keyNames = Object.fromEntries(keys.map(({ keyId, name }) => [keyId, name]));
  return (
    <>
      <PageHeader
        title="Audit log"
        actions={<DownloadCsv href={listHref(`${PATH}/export`, { show: action, key })} />}
      >
        Every change to your account: who made it, with which key, from where, and what it replaced.
        Entries can’t be changed or deleted. Times are in UTC.
      </PageHeader>
      <div className="mb-4">
        <SegmentedLinks
          label="Show"
          links={choiceLinks<string>({ all: "All", ...AUDIT_GROUPS }, action ?? "all", (group) =>
            listHref(PATH, { show: group, key }),
          )}
        />
        {key && (
          <p className="mt-2 text-ink-2">
            Only changes made with the API key “{keyNames[key] ?? key}”.{" "}
            <TextLink href={listHref(PATH, { show: action })}>Show all</TextLink>
          </p>
        )}
      </div>
      <AuditTable
        entries={items}
        keyNames={keyNames}
        empty={
          action || key ? (
            <NothingFits title="No changes of this kind" clear={PATH} />
          ) : (
            <NothingYet title="No changes yet" action="Create a plan" href="/plans/new">
              Changes to plans, agents, keys and limits are listed here.
            </NothingYet>
          )
        }
        {...(items.length > 0 && {
          foot: shownOf(items.length, total, "change"),
          pages: cursorPages("changes", hrefOf, { cursor, nextCursor }),
        })}
      />
    </>
  );
}
