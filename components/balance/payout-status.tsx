"use client";

import type { Balance, PayoutAccount } from "@turnpike/payments/protocol";
import { useState } from "react";
import type { PayoutSetup } from "@/lib/console/money.ts";
import type { ActionAnswer, OperationAction } from "../forms/action-answer.ts";
import { FailureNotice } from "../forms/failure-notice.tsx";
import { type Confirmation, useConfirmed } from "../sign-in/use-confirmed.tsx";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { DefinitionList } from "../ui/data/definition-list.tsx";
import { Field } from "../ui/fields/field.tsx";
import { Select } from "../ui/fields/select.tsx";
import { ConfirmDialog } from "../ui/overlays/dialog.tsx";
import { currencyCode, currencyMoney } from "../ui/values/currency-money.ts";
import { Identifier } from "../ui/values/identifier.tsx";
import { StatePill } from "../ui/values/state-pill.tsx";
import { TimeAgo } from "../ui/values/time-ago.tsx";
import { percentText, requirementText, totalOf } from "./balance-text.ts";

type Schedule = NonNullable<PayoutSetup["account"]>["schedule"];

type PayoutStatusProps = {
  setup: PayoutSetup;
  /** Of the currencies cards are charged in. */
  balances: Balance["currencies"];
  confirmation: Confirmation;
  createPayoutAccount: () => Promise<ActionAnswer<PayoutAccount>>;
  createPayout: OperationAction<"createPayout">;
  setPayoutSchedule: OperationAction<"setPayoutSchedule">;
};

/** How far onboarding is and what is missing, beside what can be paid out and when; before it, what payouts are. */
export function PayoutStatus(props: PayoutStatusProps) {
  const { setup } = props;
  if (!setup.isOffered) {
    return <p className="text-ink-2">This deployment doesn’t pay out card sales.</p>;
  }
  if (!setup.account) return <PayoutIntro {...props} />;
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_22rem]">
      <Onboarding {...props} />
      <NextPayout {...props} />
    </div>
  );
}

function PayoutIntro({ setup, balances, ...props }: PayoutStatusProps) {
  const operation = useOnboarding(props);
  const waiting = balances
    .filter((balance) => BigInt(totalOf(balance)) > 0n)
    .map((balance) => currencyMoney(totalOf(balance), balance.currency));
  return (
    <Card className="grid max-w-180 gap-4" data-payout-status="none">
      <div className="grid gap-1">
        <h2 className="text-h2">Get card sales paid to your bank</h2>
        <p className="max-w-[60ch] text-ink-2">
          Stripe collects your card sales and pays them to your bank account, on a schedule you
          choose. Sales in stablecoin are in your balance already and need no setup.
        </p>
      </div>
      <DefinitionList
        items={{
          "Waiting for you": waiting.length > 0 && <b>{waiting.join(" and ")}</b>,
          "You need": "An identity document, and a bank account in your name",
          "Where you enter it": "On Stripe. Turnpike never sees it.",
          "Platform fee": feeText(setup.feeBps),
        }}
      />
      <Button
        look="primary"
        className="justify-self-start"
        isPending={operation.isPending}
        onClick={operation.open}
      >
        Set up payouts
      </Button>
      <OnboardingFailure of={operation} />
    </Card>
  );
}

/** Opens Stripe’s pages, where an account is created and completed. */
function useOnboarding({
  confirmation,
  createPayoutAccount,
}: Pick<PayoutStatusProps, "confirmation" | "createPayoutAccount">) {
  const operation = useConfirmed(confirmation, "Setting up payouts");
  const open = () =>
    void operation.run(createPayoutAccount, ({ onboardingUrl }) => {
      window.location.assign(onboardingUrl);
    });
  return { ...operation, open };
}

function OnboardingFailure({ of }: { of: ReturnType<typeof useOnboarding> }) {
  return (
    <>
      <FailureNotice title="Stripe’s page could not be opened." unknown={null} of={of} />
      {of.dialog}
    </>
  );
}

const TITLES = {
  onboarding: "Finish setting up payouts",
  active: "Payouts are on",
  restricted: "Payouts are paused",
} as const;

function Onboarding({ setup, ...props }: PayoutStatusProps) {
  const operation = useOnboarding(props);
  const { account } = setup;
  if (!account) return null;
  const isActive = account.status === "active";
  const isClosed = account.isClosed === true;
  return (
    <Card className="grid gap-3" data-payout-status={account.status}>
      <div className="flex flex-wrap items-start justify-between gap-3">
        <h2 className="flex items-center gap-2 text-h3">
          {isClosed ? "Your account at Stripe is closed" : TITLES[account.status]}
          {isActive && <StatePill tone="good">On</StatePill>}
        </h2>
        <Button
          {...(!isActive && { look: "primary" as const })}
          isPending={operation.isPending}
          onClick={operation.open}
        >
          {isClosed ? "Set up payouts again" : "Continue on Stripe"}
        </Button>
      </div>
      <p className="text-ink-2 text-note">
        {isClosed && (
          <>What you are owed stays yours. Set up payouts again to open another account. </>
        )}
        Stripe pays your card sales to your bank. You enter your identity and bank details on
        Stripe. Turnpike never sees them.
      </p>
      <DefinitionList
        items={{
          Account: <Identifier value={account.processorAccount} name="account" />,
          Missing: !isClosed && (account.missing.map(requirementText).join(", ") || "Nothing"),
          "Platform fee": feeText(setup.feeBps),
        }}
      />
      <OnboardingFailure of={operation} />
    </Card>
  );
}

const feeText = (bps: number) =>
  bps === 0 ? "None" : `${percentText(bps)} of each card sale; kept when you refund`;

const SCHEDULES: [Schedule, string][] = [
  ["manual", "Only when I pay out"],
  ["daily", "Every day"],
  ["weekly", "Every week"],
];

function NextPayout({ setup, balances, ...props }: PayoutStatusProps) {
  const operation = useConfirmed(props.confirmation, "Paying out");
  // One key for one balance: pressing again after a lost answer finds the same payout.
  const [keys, setKeys] = useState<Record<string, string>>({});
  const [asked, setAsked] = useState<Balance["currencies"][number]>();
  const { account } = setup;
  const payOut = (currency: string) => {
    setAsked(undefined);
    const idempotencyKey = keys[currency] ?? crypto.randomUUID();
    setKeys({ ...keys, [currency]: idempotencyKey });
    void operation.run(
      () => props.createPayout({ currency, idempotencyKey }),
      () => setKeys({}),
    );
  };
  return (
    <Card className="grid gap-3">
      <h2 className="text-h3">Next payout</h2>
      {balances.length === 0 && (
        <p className="text-ink-2 text-note">
          Nothing to pay out. Card sales appear here until they are paid out.
        </p>
      )}
      {balances.map((balance) => (
        <Available
          key={balance.currency}
          {...balance}
          isActive={account?.status === "active"}
          isPending={operation.isPending}
          onPayOut={() => setAsked(balance)}
        />
      ))}
      {asked && (
        <ConfirmDialog
          onClose={() => setAsked(undefined)}
          title={`Pay out ${currencyMoney(asked.available, asked.currency)}?`}
          description={`Everything available in ${currencyCode(asked.currency)} goes to your bank account, including sales that have cleared since.`}
          safe="Not now"
          verb={`Pay out ${currencyMoney(asked.available, asked.currency)}`}
          look="primary"
          onConfirm={() => payOut(asked.currency)}
        />
      )}
      {account && !account.isClosed && (
        <>
          <PayoutSchedule schedule={account.schedule} {...props} />
          {account.nextPayoutAt && (
            <p className="text-note">
              Next on <TimeAgo at={account.nextPayoutAt} form="full" />
            </p>
          )}
        </>
      )}
      <FailureNotice
        title="Nothing was paid out."
        unknown="Try again: you can’t be paid out twice. Payouts are listed below."
        of={operation}
      />
      {operation.dialog}
    </Card>
  );
}

type AvailableProps = Balance["currencies"][number] & {
  isActive: boolean;
  isPending: boolean;
  onPayOut: () => void;
};

/** What can be paid out in a currency, and what is not available yet. */
function Available({ currency, available, pending, owed, ...props }: AvailableProps) {
  const { isActive, isPending, onPayOut } = props;
  return (
    <div className="grid gap-2">
      <p className="text-figure tabular-nums">{currencyMoney(available, currency)}</p>
      <DefinitionList
        look="split"
        items={{
          "On its way": pending !== "0" && currencyMoney(pending, currency),
          Owed: owed !== "0" && currencyMoney(owed, currency),
        }}
      />
      <Button
        look="primary"
        aria-disabled={available === "0"}
        isPending={isPending}
        onClick={onPayOut}
      >
        Pay out {currencyMoney(available, currency)}
      </Button>
      {isActive && BigInt(owed) > 0n && (
        <p className="text-ink-2 text-note">
          Card payments clear a few days after the sale, and can be paid out then.
        </p>
      )}
    </div>
  );
}

type PayoutScheduleProps = Pick<PayoutStatusProps, "confirmation" | "setPayoutSchedule"> & {
  schedule: Schedule;
};

/** When payouts are sent. Changing it moves no money, and fails on its own. */
function PayoutSchedule({ schedule, confirmation, setPayoutSchedule }: PayoutScheduleProps) {
  const operation = useConfirmed(confirmation, "Changing the payout schedule");
  const change = (next: Schedule) =>
    void operation.run(() => setPayoutSchedule({ schedule: next }));
  return (
    <>
      <Field label="Schedule">
        <Select
          options={SCHEDULES.map(([value, label]) => ({ value, label }))}
          value={schedule}
          onValueChange={(next) => change(next as Schedule)}
        />
      </Field>
      <FailureNotice
        title="The schedule was not changed."
        unknown="Choose the schedule again. You can repeat this safely."
        of={operation}
      />
      {operation.dialog}
    </>
  );
}
