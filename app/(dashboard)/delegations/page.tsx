import type { DelegationSummary } from "@turnpike/payments/protocol";
import { read } from "@/app/_session/operations.ts";
import { toCents } from "@/components/checkout/plan-price.ts";
import { AlertList } from "@/components/delegations/alert-list.tsx";
import { alertsOf } from "@/components/delegations/delegation-alerts.ts";
import { DelegationTable } from "@/components/delegations/delegation-table.tsx";
import { byExpiry, isLive, momentText, nameOf } from "@/components/delegations/delegation-text.ts";
import { RevokeAll } from "@/components/delegations/revoke-all.tsx";
import { SearchBox } from "@/components/subscriptions/search-box.tsx";
import { ButtonLink } from "@/components/ui/button-link.tsx";
import { Figures } from "@/components/ui/data/figures.tsx";
import { MeterLegend } from "@/components/ui/data/meter.tsx";
import { Empty } from "@/components/ui/empty.tsx";
import { NothingFits } from "@/components/ui/fields/nothing-fits.tsx";
import { SegmentedLinks } from "@/components/ui/fields/segmented-control.tsx";
import { PageHeader } from "@/components/ui/page-header.tsx";
import { moneyText } from "@/components/ui/values/money-text.ts";
import { getRunning } from "@/lib/server/running.ts";
import { listHref } from "../list-href.ts";
import { revokeAllDelegations, revokeDelegation } from "./actions.ts";
import { describeDelegations } from "./read-backing.ts";

export const metadata = { title: "Delegations" };

type Search = { show?: string; q?: string };
type DelegationsPageProps = { searchParams: Promise<Search> };

const CENTS = 2;
const DAY_MS = 86_400_000;
/** Who stops is read for the few that end within a day. */
const MOST_READ = 5;

export default async function DelegationsPage({ searchParams }: DelegationsPageProps) {
  const { show = "all", q = "" } = await searchParams;
  const { ports } = await getRunning();
  const [{ items, total }, orders, now] = await Promise.all([
    read("listDelegations", { limit: 100 }),
    read("listOrders", { limit: 100, status: "minted" }),
    ports.clock.now(),
  ]);
  const all = (await describeDelegations(items)).toSorted(byExpiry);
  const live = all.filter(isLive);
  const word = q.trim().toLowerCase();
  const shown = all.filter(
    (each) =>
      (show === "all" || (show === "active") === isLive(each)) &&
      [nameOf(each), each.covers, each.backedBy, each.delegationId].some((text) =>
        text.toLowerCase().includes(word),
      ),
  );
  return (
    <>
      <PageHeader
        title="Delegations"
        actions={
          <>
            {live.length > 0 && (
              <RevokeAll
                delegations={live.length}
                tokens={live.reduce((sum, { activeTokens }) => sum + activeTokens, 0)}
                revokeAll={revokeAllDelegations}
              />
            )}
            <ButtonLink look="primary" href="/delegations/new">
              New delegation
            </ButtonLink>
          </>
        }
      >
        What your agents may spend without asking you again. You can stop each one at any time.
      </PageHeader>
      <AlertList alerts={await readAlerts(live, now)} />
      {all.length > 0 && (
        <div className="mb-6">
          <Figures figures={figuresOf(live, orders.items, now)} />
        </div>
      )}
      {all.length > 0 && (
        <div className="mb-4 flex flex-wrap items-center gap-3">
          <SegmentedLinks
            label="Show"
            links={[
              { value: "all", text: `All ${all.length}` },
              { value: "active", text: `Active ${live.length}` },
              { value: "ended", text: `Ended ${all.length - live.length}` },
            ].map(({ value, text }) => ({
              href: listHref("/delegations", { show: value, q }),
              isCurrent: show === value,
              label: text,
            }))}
          />
          <SearchBox label="Search delegations" />
          <div className="ms-auto max-lg:ms-0">
            <MeterLegend />
          </div>
        </div>
      )}
      <DelegationTable
        delegations={shown}
        now={now.toISOString()}
        revokeDelegation={revokeDelegation}
        empty={
          all.length > 0 ? (
            <NothingFits title="No delegation fits" clear="/delegations">
              {q ? `Nothing is called ‘${q}’ here.` : "There is none in this state."}
            </NothingFits>
          ) : (
            <Empty
              kind="first"
              headingLevel={2}
              title="No delegations yet"
              actions={
                <ButtonLink look="primary" href="/delegations/new">
                  New delegation
                </ButtonLink>
              }
            >
              A delegation is a spending limit: what agents may spend in your name, for how long and
              how often.
            </Empty>
          )
        }
        {...(all.length > 0 && {
          foot: `${shown.length} of ${total} ${total === 1 ? "delegation" : "delegations"}, first to end on top`,
        })}
      />
    </>
  );
}

async function readAlerts(live: DelegationSummary[], now: Date) {
  const endingSoon = live
    .filter(({ expiresAt }) => Date.parse(expiresAt) - now.getTime() <= DAY_MS)
    .slice(0, MOST_READ);
  const effects = await Promise.all(
    endingSoon.map(({ delegationId }) => read("getDelegationEffects", { delegationId })),
  );
  const agents = new Map(effects.map((each) => [each.delegationId, each.agents.length]));
  return live.flatMap((each) =>
    alertsOf({ ...each, name: nameOf(each) }, now, agents.get(each.delegationId)),
  );
}

type Paid = {
  delegationId?: string | undefined;
  createdAt: string;
  price: { amount: string; decimals?: number | undefined; currency: string };
};

function figuresOf(live: DelegationSummary[], orders: Paid[], now: Date) {
  const active = live.filter(({ status }) => status === "Active");
  const since = now.getTime() - 30 * DAY_MS;
  const paid = orders.filter(
    ({ delegationId, createdAt }) => delegationId && Date.parse(createdAt) >= since,
  );
  const spent = paid.map(({ price }) => ({
    currency: price.currency,
    cents: price.decimals === undefined ? 0n : toCents(BigInt(price.amount), price.decimals),
  }));
  const soon = active.filter(
    ({ expiresAt }) => Date.parse(expiresAt) - now.getTime() <= 7 * DAY_MS,
  );
  const [first] = soon;
  const inFlight = active.filter(({ amountReservedCents }) => BigInt(amountReservedCents) > 0n);
  return [
    {
      label: "Still spendable",
      value: sumText(
        active.map((each) => ({
          currency: each.currency,
          cents: BigInt(each.remainingBudgetCents),
        })),
      ),
      note: `${active.length} active ${active.length === 1 ? "delegation" : "delegations"}`,
    },
    {
      label: "Reserved now",
      value: sumText(
        active.map((each) => ({
          currency: each.currency,
          cents: BigInt(each.amountReservedCents),
        })),
      ),
      note: inFlight.length === 0 ? "No order in flight" : `In ${inFlight.length} of them`,
    },
    {
      label: "Spent in 30 days",
      value: sumText(spent),
      note: `${spent.length} ${spent.length === 1 ? "charge" : "charges"}`,
    },
    {
      label: "Ending in 7 days",
      value: String(soon.length),
      note: first ? `First: ${momentText(first.expiresAt, now)}` : "None",
    },
  ];
}

/** Sums by currency: `$12.00`, `$12.00 + €3.00`. */
function sumText(amounts: { currency: string; cents: bigint }[]): string {
  const sums = new Map<string, bigint>();
  for (const { currency, cents } of amounts) sums.set(currency, (sums.get(currency) ?? 0n) + cents);
  const texts = [...sums]
    .filter(([, cents]) => cents > 0n)
    .map(([currency, cents]) => moneyText(cents, CENTS, currency));
  return texts.join(" + ") || moneyText(0n, CENTS, [...sums.keys()][0] ?? "usd");
}
