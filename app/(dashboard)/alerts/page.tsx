import { read, readListed } from "@/app/_session/operations.ts";
import { Channels } from "@/components/alerts/channels.tsx";
import { Inbox } from "@/components/alerts/inbox.tsx";
import { NewRule } from "@/components/alerts/new-rule.tsx";
import { countRules } from "@/components/alerts/rule-text.ts";
import { RulesTable } from "@/components/alerts/rules-table.tsx";
import { cursorPages, listHref } from "@/components/list-query.ts";
import { readTexts, type Searched } from "@/components/search-params.ts";
import { ButtonLink } from "@/components/ui/button-link.tsx";
import { Pagination } from "@/components/ui/data/pagination.tsx";
import { Empty } from "@/components/ui/empty.tsx";
import { SegmentedLinks } from "@/components/ui/fields/segmented-control.tsx";
import { PageHeader, Section } from "@/components/ui/page-header.tsx";
import { getRunning } from "@/lib/server/running.ts";
import * as actions from "./actions.ts";

export const metadata = { title: "Alerts" };

const PATH = "/alerts";

export default async function AlertsPage({ searchParams }: Searched) {
  const { show, cursor } = readTexts(await searchParams, ["show", "cursor"]);
  const isAll = show === "everything";
  const hrefOf = (next?: string) => listHref(PATH, { show, cursor: next });
  const [page, open, { items: rules }, email, { items: endpoints }, { env }] = await Promise.all([
    readListed("listAlerts", { ...(!isAll && { status: "open" }), cursor }, hrefOf()),
    isAll && read("listAlerts", { status: "open", limit: 1 }),
    read("listAlertRules", {}),
    read("getEmailAddress", {}),
    read("listWebhookEndpoints", { withoutFigures: true }),
    getRunning(),
  ]);
  const links = [
    { href: PATH, label: `Open ${(open || page).total}`, isCurrent: !isAll },
    { href: listHref(PATH, { show: "everything" }), label: "All", isCurrent: isAll },
  ];
  return (
    <>
      <PageHeader
        title="Alerts"
        actions={
          <>
            {env.environment === "sandbox" && (
              <ButtonLink href="/alerts/mailbox">Mailbox</ButtonLink>
            )}
            <NewRule email={email} actions={actions} />
          </>
        }
      >
        An alert opens when a rule’s threshold is crossed and closes automatically once it clears.
      </PageHeader>
      <div className="grid gap-x-8 gap-y-6 lg:grid-cols-[minmax(0,1fr)_280px]">
        <div className="grid content-start gap-4">
          <div>
            <SegmentedLinks label="Show" links={links} />
          </div>
          {page.items.length === 0 ? (
            <Empty kind="first" headingLevel={2} title={isAll ? "No alerts yet" : "No open alerts"}>
              Alerts appear here when the threshold of a rule below is crossed.
            </Empty>
          ) : (
            <Inbox alerts={page.items} />
          )}
          <Pagination {...cursorPages("alerts", hrefOf, { cursor, nextCursor: page.nextCursor })} />
        </div>
        <section aria-labelledby="channels" className="grid content-start gap-4">
          <h2 id="channels" className="text-h2">
            Channels
          </h2>
          <Channels
            email={email}
            // An account did not ask for the mails of built-in rules.
            rules={countRules(rules.filter(({ isBuiltIn }) => !isBuiltIn))}
            endpoints={endpoints.filter(({ status }) => status === "active").length}
            actions={actions}
          />
        </section>
      </div>
      <Section id="rules" title="Rules" meta="Your rules replace built-in rules of the same type.">
        <RulesTable rules={rules} actions={actions} />
      </Section>
    </>
  );
}
