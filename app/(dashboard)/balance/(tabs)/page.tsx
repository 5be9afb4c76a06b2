import type { Balance } from "@turnpike/payments/protocol";
import { read, readListed } from "@/app/_session/operations.ts";
import { requireSession } from "@/app/_session/session.ts";
import { isStablecoin } from "@/components/balance/balance-text.ts";
import { CheckStrip } from "@/components/balance/check-strip.tsx";
import { CreditList, othersOf } from "@/components/balance/credit-list.tsx";
import { CurrencyCard } from "@/components/balance/currency-card.tsx";
import { Deposit } from "@/components/balance/deposit.tsx";
import { MovementTable } from "@/components/balance/movement-table.tsx";
import { QrCode } from "@/components/balance/qr-code.tsx";
import { QueryProvider } from "@/components/data/query-provider.tsx";
import { listHref } from "@/components/list-query.ts";
import type { Searched } from "@/components/search-params.ts";
import { ButtonLink } from "@/components/ui/button-link.tsx";
import { SegmentedLinks } from "@/components/ui/fields/segmented-control.tsx";
import { Section } from "@/components/ui/page-header.tsx";
import { getRunning } from "@/lib/server/running.ts";
import { readAll } from "../../read-all.ts";
import { addTestFunds } from "../actions.ts";

export const metadata = { title: "Balance" };

const PAGE_SIZE = 25;
/** Movements whose currencies can be chosen, also where no balance is left. */
const RECENT = 100;

type Search = { currency?: string; cursor?: string };

export default async function BalancePage({ searchParams }: Searched<Search>) {
  const { currency, cursor } = await searchParams;
  const { account } = await requireSession();
  const { env } = await getRunning();
  const hrefOf = (one?: string) => listHref("/balance", { currency: one });
  const query = { limit: PAGE_SIZE, ...(currency && { currency }), ...(cursor && { cursor }) };
  // Reading movements reads the chain's new transfers, which the comparison then includes.
  const movements = await readListed("listMovements", query, hrefOf(currency));
  const [balance, recent, check, setup, ownPlans] = await Promise.all([
    read("getBalance", {}),
    read("listMovements", { limit: RECENT }),
    read("checkMoney", {}),
    read("getPayoutSetup", {}),
    readAll((page) => read("listPlans", page)),
  ]);
  const isPayable = setup.account?.status === "active";
  const { currencies, credits } = balance;
  return (
    <>
      <CurrencyCards currencies={currencies} isPayable={isPayable} />
      <CheckStrip check={check} />
      <Section
        id="movements"
        title="Movements"
        meta={
          <SegmentedLinks
            label="Currency"
            links={[
              ...new Set([
                undefined,
                ...[...currencies, ...recent.items].map((one) => one.currency),
                currency,
              ]),
            ].map((one) => ({
              label: one?.toUpperCase() ?? "All",
              href: hrefOf(one),
              isCurrent: currency === one,
            }))}
          />
        }
      >
        <QueryProvider>
          <MovementTable
            key={`${currency} ${cursor}`}
            query={query}
            first={movements}
            ownPlans={ownPlans.items.map(({ planId }) => planId)}
          />
        </QueryProvider>
      </Section>
      <div className="grid gap-x-6 lg:grid-cols-2">
        {check.token && (
          <Section id="deposit" title="Deposit" meta="USDC only">
            <Deposit
              address={account.address}
              token={check.token}
              qrCode={<QrCode text={account.address} label="Your deposit address as a QR code" />}
              {...(env.environment === "sandbox" && { addTestFunds })}
            />
          </Section>
        )}
        <Section id="credits" title="Credits" meta={othersOf(credits)}>
          <CreditList credits={credits} />
        </Section>
      </div>
    </>
  );
}

type CardsProps = { currencies: Balance["currencies"]; isPayable: boolean };

function CurrencyCards({ currencies, isPayable }: CardsProps) {
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      {currencies.map((one) => (
        <CurrencyCard
          key={one.currency}
          balance={one}
          isPayable={isPayable}
          action={
            isStablecoin(one.currency) ? (
              <ButtonLink size="small" href="#deposit">
                Deposit
              </ButtonLink>
            ) : (
              <ButtonLink size="small" href="/balance/payouts">
                {isPayable ? "Pay out" : "Set up payouts"}
              </ButtonLink>
            )
          }
        />
      ))}
    </div>
  );
}
