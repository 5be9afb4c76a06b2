import { Figures } from "@/components/ui/data/figures.tsx";
import { Meter, MeterLegend } from "@/components/ui/data/meter.tsx";
import { Address } from "@/components/ui/values/address.tsx";
import { Credits } from "@/components/ui/values/credits.tsx";
import { HttpStatus } from "@/components/ui/values/http-status.tsx";
import { Identifier } from "@/components/ui/values/identifier.tsx";
import { Money } from "@/components/ui/values/money.tsx";
import { MONEY_STATUSES, MoneyStatus } from "@/components/ui/values/money-status.tsx";
import { StatePill } from "@/components/ui/values/state-pill.tsx";
import { Tag } from "@/components/ui/values/tag.tsx";
import { TimeAgo } from "@/components/ui/values/time-ago.tsx";
import { ACCOUNT, NOW, TRANSACTION } from "./example-data.ts";
import { Example, ExampleSection, Examples } from "./example-section.tsx";

type Status = keyof typeof MONEY_STATUSES;

export function ValueExamples() {
  return (
    <>
      <StatusExamples />
      <FormatExamples />
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

function FormatExamples() {
  return (
    <ExampleSection
      id="values"
      title="Values"
      about="Identifiers show the first six and last four characters, with the full value on hover and a copy button. Amounts are exact."
    >
      <Examples>
        <Example name="ID">
          <Identifier value="dlg_5TqW8nYb2RfKc41" name="delegation id" />
        </Example>
        <Example name="Address">
          <Address
            value={ACCOUNT}
            explorerUrl={`https://sepolia.basescan.org/address/${ACCOUNT}`}
          />
        </Example>
        <Example name="Known address">
          <Address value={ACCOUNT} known="Your account" />
        </Example>
        <Example name="Transaction">
          <Identifier value={TRANSACTION} name="transaction" />
        </Example>
        <Example name="Payment">
          <Money amount="10000000" decimals={6} currency="USDC" />
        </Example>
        <Example name="Tiny and vast">
          <span className="grid">
            <Money amount="1" decimals={18} currency="ETH" />
            <Money amount="123456789012345" decimals={2} currency="usd" />
          </span>
        </Example>
        <Example name="Free">
          <Money amount="0" decimals={2} currency="USD" isFreeSaid />
        </Example>
        <Example name="Credits">
          <Credits credits="96" before="97" />
        </Example>
        <Example name="Credits with unit">
          <Credits credits="1" withUnit />
        </Example>
        <Example name="Time">
          <TimeAgo at="2026-11-21T14:02:11.000Z" now={NOW} />
        </Example>
        <Example name="Clock">
          <TimeAgo at="2026-11-21T14:02:11.000Z" form="clock" />
        </Example>
        <Example name="Tags">
          <span className="flex gap-2">
            <Tag>Valid</Tag>
            <Tag isMono>eip155:84532</Tag>
          </span>
        </Example>
      </Examples>
      <Figures
        figures={[
          { label: "Settled requests", value: "1,284", note: "1,208 the day before" },
          {
            label: "Unsettled",
            value: "3",
            note: "Up to 5 credits, oldest 13:20",
            icon: "half",
            tone: "unsettled",
          },
          { label: "Credits earned", value: "2,310", note: "Worth 195.00 USDC and 28.80 USD" },
          { label: "Delegations expiring in 7 days", value: "2", note: "First: tomorrow 14:00" },
        ]}
      />
    </ExampleSection>
  );
}

function MeterExamples() {
  return (
    <ExampleSection
      id="meter"
      title="Meter, three limits"
      about="The bar is the amount; the thin lines are count and time. The limit that is reached first is bold. Marks at 50, 80 and 95%."
    >
      <div className="grid gap-x-8 gap-y-5 sm:grid-cols-2">
        <Meter
          label="Research bot"
          currency="usd"
          now={NOW}
          spendingLimitCents={5_000n}
          amountSpentCents={3_000n}
          amountReservedCents={680n}
          transactionCount={4}
          maxTransactions={10}
          createdAt="2026-11-15T14:00:00.000Z"
          expiresAt="2026-11-22T14:00:00.000Z"
        />
        <Meter
          label="Nightly digest"
          currency="usd"
          now={NOW}
          spendingLimitCents={5_000n}
          amountSpentCents={4_160n}
          amountReservedCents={0n}
          transactionCount={12}
          maxTransactions={20}
          createdAt="2026-10-30T16:00:00.000Z"
          expiresAt="2026-11-29T16:00:00.000Z"
        />
        <Meter
          label="Batch extract"
          currency="usd"
          now={NOW}
          spendingLimitCents={2_500n}
          amountSpentCents={2_500n}
          amountReservedCents={0n}
          transactionCount={1}
          maxTransactions={1}
          createdAt="2026-11-17T15:00:00.000Z"
          expiresAt="2026-11-24T15:00:00.000Z"
        />
        <Meter
          label="Old notebook"
          currency="usd"
          now={NOW}
          stopped="Stopped 18 Nov 09:12"
          spendingLimitCents={2_000n}
          amountSpentCents={1_000n}
          amountReservedCents={0n}
          transactionCount={1}
          maxTransactions={5}
        />
      </div>
      <MeterLegend />
    </ExampleSection>
  );
}
