import { totalOf } from "@turnpike/payments/protocol";
import { groupThousands } from "@/lib/text/plural.ts";
import { Rule } from "../../ui/rule.tsx";
import { callCosts, costText, readoutSentences } from "../describe-plan.ts";
import type { Market } from "../market.ts";
import type { PlanTerms } from "../plan-terms.ts";
import { callsWords, creditsWords } from "../plan-words.ts";
import { callsWithin, toScale } from "../unit-price.ts";

/** What the numbers mean, in sentences; where the price of a call varies, it is drawn to scale. */
export function PriceReadout({ terms, market }: { terms: PlanTerms; market: Market }) {
  const { minAmount, maxAmount } = terms.credits;
  const isPaid = terms.accessLimit === "credits" && totalOf(terms.price) > 0n;
  const isRange = isPaid && minAmount !== maxAmount;
  return (
    <div
      data-testid="price-readout"
      className="grid gap-3 rounded-control border border-line bg-sunken p-3.5"
    >
      <p className="font-medium tabular-nums">
        {readoutSentences(terms, market).map((sentence) => (
          <span key={sentence} className="block">
            {sentence}
          </span>
        ))}
      </p>
      {isRange && <CallPrice terms={terms} market={market} />}
    </div>
  );
}

function CallPrice({ terms, market }: { terms: PlanTerms; market: Market }) {
  const { least, most, unit } = callCosts(terms, market);
  const { minAmount, maxAmount, amount } = terms.credits;
  const granted = BigInt(amount);
  const { decimals } = unit;
  const to = decimals === undefined ? 0 : toScale(most.amount, decimals);
  // Skip the drawing where the labels of the scale would all read the same.
  const isDrawn = to >= 1e-6 && to < 1e12;
  const from = decimals === undefined ? 0 : toScale(least.amount, decimals);
  return (
    <>
      {isDrawn && (
        <Rule
          label={`A call costs ${costText(least, unit)} to ${costText(most, unit)}`}
          bars={[{ key: "call", from, to, look: "work" }]}
          unit={unit.symbol}
          markText={markText}
        />
      )}
      <dl className="grid gap-3 text-note sm:grid-cols-2">
        <div>
          <dt className="text-ink-2">Cheapest call, {creditsWords(minAmount)}</dt>
          <dd className="font-medium tabular-nums">
            {costText(least, unit)}, {callsWords(callsWithin(granted, minAmount))}
          </dd>
        </div>
        <div>
          <dt className="text-ink-2">Most expensive call, {creditsWords(maxAmount)}</dt>
          <dd className="font-medium tabular-nums">
            {costText(most, unit)}, {callsWords(callsWithin(granted, maxAmount))}
          </dd>
        </div>
      </dl>
    </>
  );
}

const markText = (value: number) =>
  value === 0 ? "0" : groupThousands(value.toFixed(8).replace(/0{1,6}$/, ""));
