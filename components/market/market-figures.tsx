import {
  type AgentMarketFacts,
  ENOUGH_CALLS,
  type MarketFacts,
  NEWEST_CALLS,
} from "@/lib/console/market-facts.ts";
import { plural } from "@/lib/text/plural.ts";
import { Card } from "../ui/card.tsx";
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
      {hasEnough(facts) ? (
        <Figures figures={figuresOf({ facts, doctor })} />
      ) : (
        <Card>
          <p className="text-h3">{tooFewText(facts)}</p>
          <p className="mt-1 text-ink-2 text-note">
            {doctor ? (
              <>
                {doctor.passed} of {doctor.checks} checks passed <TimeAgo at={doctor.at} />.
              </>
            ) : (
              "Not checked yet."
            )}
          </p>
        </Card>
      )}
      <p className="mt-2 max-w-[80ch] text-ink-2 text-small">
        Measured by Turnpike over the last 30 days from calls whose payment was accepted. The
        seller’s own calls and test calls are left out; sellers can’t edit or buy these figures.
      </p>
    </section>
  );
}

function figuresOf({ facts, doctor }: MarketFiguresProps): Figure[] {
  return [
    {
      label: "Settled share",
      value: shareText(facts),
      note: `Of ${plural(facts.calls, "paid call")}`,
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
