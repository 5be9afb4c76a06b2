import type { ReactNode } from "react";
import { MONEY_DECIMALS } from "@/lib/console/currency-decimals.ts";
import { plural } from "@/lib/text/plural.ts";
import { DefinitionList } from "../ui/data/definition-list.tsx";
import { Icon } from "../ui/icon.tsx";
import { HttpStatus } from "../ui/values/http-status.tsx";
import { Identifier } from "../ui/values/identifier.tsx";
import { MoneyStatus } from "../ui/values/money-status.tsx";
import { amountText } from "../ui/values/money-text.ts";
import { RECORDED, RECORDED_AT } from "./recorded-call.ts";

/** The four lines of a recorded exchange, each beside what it means for the money. */
export function RecordedExchange() {
  const { agent, question, required, offers, signature, response, answer } = RECORDED;
  return (
    <ol aria-label="A recorded paid call">
      <Line
        ms={RECORDED_AT.ask}
        isAnswer={false}
        means="The caller sends a request without payment. Your agent doesn’t run."
      >
        <Start>POST {agent}</Start>
        <Wire>{question}</Wire>
      </Line>
      <Line
        ms={RECORDED_AT.required}
        isAnswer
        tint="border-s-challenged bg-tint-challenged"
        money={<MoneyStatus status="challenged" />}
        means={`The gate answers with the price: ${offers.length} ${offers.length === 1 ? "offer" : "offers"}. Nothing is charged.`}
      >
        <Start>
          <HttpStatus status={402} /> Payment Required
        </Start>
        <Header name="payment-required" value={required} />
        <ul className="mt-1.5 rounded-control border border-line bg-surface text-note">
          {offers.map(({ plan, credits, scheme }) => (
            <li
              key={`${plan} ${scheme}`}
              className="flex flex-wrap justify-between gap-x-4 border-line px-3 py-1.5 not-last:border-b"
            >
              <span>
                {plan}, {plural(BigInt(credits), "credit")}
              </span>
              <code className="text-ink-2 text-small">{scheme}</code>
            </li>
          ))}
        </ul>
      </Line>
      <Line
        ms={RECORDED_AT.pay}
        isAnswer={false}
        means="The caller retries with an access token. 1 credit is reserved, not charged."
      >
        <Start>POST {agent}</Start>
        <Header name="payment-signature" value={signature} />
      </Line>
      <Line
        ms={RECORDED_AT.answer}
        isAnswer
        tint="border-s-settled bg-tint-settled"
        money={<MoneyStatus status="settled" />}
        means="Your agent answered, so 1 credit settles. An error would have cost nothing."
      >
        <Start>
          <HttpStatus status={200} /> OK
        </Start>
        <Header name="payment-response" value={response} />
        <Wire>{answer}</Wire>
      </Line>
    </ol>
  );
}

type LineProps = {
  ms: number;
  isAnswer: boolean;
  tint?: string;
  money?: ReactNode;
  /** One sentence on what the line means for the money. */
  means: string;
  children: ReactNode;
};

function Line({ ms, isAnswer, tint = "border-s-transparent", money, means, children }: LineProps) {
  return (
    <li
      className={`grid grid-cols-[minmax(0,1fr)] gap-x-3 border-line border-s-2 px-4 py-3 not-last:border-b sm:grid-cols-[64px_16px_minmax(0,1fr)] ${tint}`}
    >
      <span className="text-ink-2 text-small tabular-nums sm:pt-0.5 sm:text-end">{ms} ms</span>
      <Icon
        name={isAnswer ? "left" : "right"}
        className={`mt-0.5 size-4 max-sm:hidden ${isAnswer ? "text-ink" : "text-ink-2"}`}
      />
      <div className="min-w-0">
        <div className="flex flex-wrap items-start justify-between gap-x-3 gap-y-1">
          <div className="min-w-0 flex-1 basis-52">{children}</div>
          {money}
        </div>
        <p className="mt-1 text-note">{means}</p>
      </div>
    </li>
  );
}

const Start = ({ children }: { children: ReactNode }) => (
  <p className="flex items-center gap-2 font-medium font-mono text-mono">{children}</p>
);

const Wire = ({ children }: { children: ReactNode }) => (
  <p className="wrap-anywhere font-mono text-ink-2 text-small">{children}</p>
);

const Header = ({ name, value }: { name: string; value: string }) => (
  <p className="wrap-anywhere font-mono text-small">
    {name}: <span className="text-ink-2">{value}…</span>
  </p>
);

export function RecordedReceipt() {
  const { planName, planAmount, planCredits, before, after, settlementId, transaction } = RECORDED;
  return (
    <div className="grid content-start gap-3">
      <p>
        <MoneyStatus status="settled" />
      </p>
      <h3 className="text-h2">1 credit for one answer</h3>
      <DefinitionList
        look="split"
        items={{
          Plan: `${planName}, ${planCredits} credits for ${amountText(planAmount, MONEY_DECIMALS)} USDC`,
          Charged: "1 credit",
          "Credits left": `${before} → ${after}`,
          Receipt: <Identifier value={settlementId} name="receipt ID" />,
          Transaction: <Identifier value={transaction} name="transaction" />,
        }}
        className="border-line border-y"
      />
      <ul className="grid gap-1.5 text-note">
        {[
          "Signed by a key limited to this plan and one call",
          "The credit was burned on chain",
          "The balance and the receipt match",
        ].map((fact) => (
          <li key={fact} className="flex gap-2">
            <Icon name="tick" className="mt-0.5 size-3.5 text-settled" />
            {fact}
          </li>
        ))}
      </ul>
    </div>
  );
}
