import { Meter, MeterLegend, type MeterProps } from "@/components/ui/data/meter.tsx";
import { HttpStatus } from "@/components/ui/values/http-status.tsx";
import { MONEY_STATUSES, MoneyStatus } from "@/components/ui/values/money-status.tsx";
import { StatePill } from "@/components/ui/values/state-pill.tsx";
import { NOW } from "./example-data.ts";
import { Example, ExampleSection } from "./example-section.tsx";

type Status = keyof typeof MONEY_STATUSES;

export function ValueExamples() {
  return (
    <>
      <StatusExamples />
      <MeterExamples />
    </>
  );
}

function StatusExamples() {
  return (
    <ExampleSection
      id="status"
      title="Status"
      about="An HTTP status is an outlined number, a payment status a tinted pill with an icon."
    >
      <Example name="HTTP">
        <span className="flex flex-wrap gap-1.5">
          {[200, 402, 404, 500].map((status) => (
            <HttpStatus key={status} status={status} />
          ))}
        </span>
      </Example>
      <Example name="Payment">
        <span className="flex flex-wrap gap-2">
          {(Object.keys(MONEY_STATUSES) as Status[]).map((status) => (
            <MoneyStatus key={status} status={status} />
          ))}
        </span>
      </Example>
      <Example name="Payment, large, for the outcome of a run">
        <span className="flex flex-wrap gap-2">
          <MoneyStatus size="large" status="settled" />
          <MoneyStatus size="large" status="delivered-unsettled" />
        </span>
      </Example>
      <Example name="State">
        <span className="flex flex-wrap gap-2">
          {(["Active", "Expired", "Exhausted", "Revoked", "listed", "draft"] as const).map(
            (state) => (
              <StatePill key={state} state={state} />
            ),
          )}
          <StatePill tone="good">Ready</StatePill>
          <StatePill tone="warn">Bad envelope</StatePill>
          <StatePill tone="bad">Responds without payment</StatePill>
          <StatePill tone="running">Checking</StatePill>
        </span>
      </Example>
    </ExampleSection>
  );
}

/** Running, nearly used up, full, and stopped. */
const METERS: Omit<MeterProps, "currency" | "now">[] = [
  {
    label: "Research bot",
    spendingLimitCents: 5_000n,
    amountSpentCents: 3_000n,
    amountReservedCents: 680n,
    transactionCount: 4,
    maxTransactions: 10,
    createdAt: "2026-11-15T14:00:00.000Z",
    expiresAt: "2026-11-22T14:00:00.000Z",
  },
  {
    label: "Nightly digest",
    spendingLimitCents: 5_000n,
    amountSpentCents: 4_160n,
    amountReservedCents: 0n,
    transactionCount: 12,
    maxTransactions: 20,
    createdAt: "2026-10-30T16:00:00.000Z",
    expiresAt: "2026-11-29T16:00:00.000Z",
  },
  {
    label: "Batch extract",
    spendingLimitCents: 2_500n,
    amountSpentCents: 2_500n,
    amountReservedCents: 0n,
    transactionCount: 1,
    maxTransactions: 1,
    createdAt: "2026-11-17T15:00:00.000Z",
    expiresAt: "2026-11-24T15:00:00.000Z",
  },
  {
    label: "Old notebook",
    stopped: "Stopped 18 Nov 09:12",
    spendingLimitCents: 2_000n,
    amountSpentCents: 1_000n,
    amountReservedCents: 0n,
    transactionCount: 1,
    maxTransactions: 5,
  },
];

function MeterExamples() {
  return (
    <ExampleSection
      id="meter"
      title="Meter, three limits"
      about="The bar is the amount; the thin lines are count and time. The limit that is reached first is bold. Marks at 50, 80 and 95%."
    >
      <div className="grid gap-x-8 gap-y-5 sm:grid-cols-2">
        {METERS.map((meter) => (
          <Meter key={meter.label} currency="usd" now={NOW} {...meter} />
        ))}
      </div>
      <MeterLegend />
    </ExampleSection>
  );
}
