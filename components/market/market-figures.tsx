import {
  type AgentMarketFacts,
  ENOUGH_CALLS,
  type MarketFacts,
  NEWEST_CALLS,
} from "@/lib/console/market-facts.ts";
import { plural } from "@/lib/text/plural.ts";
import { type Figure, Figures } from "../ui/data/figures.tsx";
import { groupDigits } from "../ui/values/money-text.ts";
import { TimeAgo } from "../ui/values/time-ago.tsx";
import { hasEnough, msText, shareText, tooFewText } from "./facts-text.ts";

type MarketFiguresProps = {
  facts: MarketFacts;
  doctor: AgentMarketFacts["doctor"];
};

/** What was measured of a plan or an agent, and where the figures come from. */
export function MarketFigures({ facts, doctor }: MarketFiguresProps) {
  return (
    <section aria-label="Measured in the last 30 days">
      <Figures figures={figuresOf({ facts, doctor })} />
      <p className="mt-2 max-w-[80ch] text-ink-2 text-small">
        {!hasEnough(facts) && `${tooFewText(facts)} `}
        Measured by Turnpike over the last 30 days from calls whose payment was accepted. The
        seller’s own calls and test calls are left out; sellers can’t edit or buy these figures.
      </p>
    </section>
  );
}

function figuresOf({ facts, doctor }: MarketFiguresProps): Figure[] {
  const isEnough = hasEnough(facts);
  return [
    {
      label: "Settled share",
      value: isEnough ? shareText(facts) : "–",
      note: isEnough
        ? `Of ${plural(facts.calls, "paid call")}`
        : `Shown after ${ENOUGH_CALLS} calls`,
    },
    {
      label: "Response time, p95",
      value: msText(facts.p95Ms),
      note:
        facts.p50Ms === undefined
          ? `Shown after ${ENOUGH_CALLS} calls`
          : `p50 ${msText(facts.p50Ms)}${facts.settled > NEWEST_CALLS ? " in the newest calls" : ""}`,
    },
    {
      label: "Settled calls",
      value: groupDigits(facts.settled),
      note: `By ${plural(facts.customers, "customer")}`,
    },
    {
      label: "Checks passed",
      value: doctor ? `${doctor.passed} of ${doctor.checks}` : "–",
      note: doctor ? (
        <>
          Run <TimeAgo at={doctor.at} />
        </>
      ) : (
        "Not run yet"
      ),
    },
  ];
}
