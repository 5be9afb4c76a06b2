import { confirmationOf } from "@/app/_session/confirmation-of.ts";
import { read, readListed } from "@/app/_session/operations.ts";
import { requireSession } from "@/app/_session/session.ts";
import { PayoutStatus } from "@/components/balance/payout-status.tsx";
import { PayoutTable } from "@/components/balance/payout-table.tsx";
import { cursorPages, listHref } from "@/components/list-query.ts";
import type { Searched } from "@/components/search-params.ts";
import { Section } from "@/components/ui/page-header.tsx";
import { createPayout, createPayoutAccount, setPayoutSchedule } from "../../actions.ts";

export const metadata = { title: "Payouts" };

const PAGE_SIZE = 25;

const hrefOf = (cursor?: string) => listHref("/balance/payouts", { cursor });

type Search = { cursor?: string };

export default async function PayoutsPage({ searchParams }: Searched<Search>) {
  const { cursor } = await searchParams;
  // The setup reads the processor first, so the balance knows what can be paid out.
  const setup = await read("getPayoutSetup", {});
  const [balance, payouts, session] = await Promise.all([
    read("getBalance", {}),
    readListed("listPayouts", { limit: PAGE_SIZE, cursor }, hrefOf()),
    requireSession(),
  ]);
  return (
    <>
      <PayoutStatus
        setup={setup}
        balances={balance.currencies.filter(({ currency }) => currency.length === 3)}
        confirmation={await confirmationOf(session)}
        createPayoutAccount={createPayoutAccount}
        createPayout={createPayout}
        setPayoutSchedule={setPayoutSchedule}
      />
      {(setup.account || payouts.total > 0) && (
        <Section id="history" title="History">
          <PayoutTable
            rows={payouts.items}
            {...(payouts.total > 0 && { foot: `${payouts.items.length} of ${payouts.total}` })}
            pages={cursorPages("payouts", hrefOf, { cursor, nextCursor: payouts.nextCursor })}
          />
        </Section>
      )}
    </>
  );
}
