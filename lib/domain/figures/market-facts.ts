import { ENOUGH_CALLS, type MarketFacts } from "@/lib/console/market-facts.ts";
import { doctorSummary } from "../plans/check-schedule.ts";
import { provedDomain } from "../plans/domain-proof.ts";
import type { Verb } from "../verb.ts";
import type { FactRow } from "./business-ports.ts";
import { periodOf } from "./period.ts";

/** What the ledger saw of plans and agents in the last 30 days, for everyone to see. */
export const listMarketFacts: Verb<"listMarketFacts"> = async (context, { planIds, agentIds }) => {
  const { business, agents, clock } = context.ports;
  const { since, numbers } = await periodOf(context, "30d");
  const asked = idsIn(planIds);
  const shown = await agents.onSale(idsIn(agentIds));
  const shownIds = shown.map(({ agentId }) => agentId);
  const [now, byPlan, byAgent] = await Promise.all([
    clock.now(),
    business.planFacts(asked, since),
    business.agentFacts(shownIds, since),
  ]);
  const factsOf = (rows: readonly FactRow[], id: string) => readFacts(rows, { id, days: numbers });
  return {
    since: since.toISOString(),
    plans: [...new Set(byPlan.map(({ id }) => id))].map((id) => factsOf(byPlan, id)),
    agents: shown.map((agent) => {
      const domain = provedDomain(agent, now);
      return {
        ...factsOf(byAgent, agent.agentId),
        ...(domain && { domain }),
        ...(agent.doctorRun && { doctor: doctorSummary(agent.doctorRun) }),
        ...(agent.doctorRun?.offers && {
          offers: offersOf(agent.doctorRun.offers, [...agent.planIds, ...asked]),
        }),
      };
    }),
  };
};

/** Of what each endpoint offered, the listed plans and those that the caller knows: a check can see others, too. */
const offersOf = (offers: Record<string, string[]>, known: string[]) =>
  Object.fromEntries(
    Object.entries(offers).map(([endpoint, ids]) => [
      endpoint,
      ids.filter((id) => known.includes(id)),
    ]),
  );

const idsIn = (text: string): string[] => text.split(",").filter(Boolean);

function readFacts(
  rows: readonly FactRow[],
  { id, days }: { id: string; days: readonly number[] },
): MarketFacts {
  const own = rows.filter((row) => row.id === id);
  const total = own.find(({ day }) => day === null);
  const byDay = new Map(own.map((row) => [row.day, row]));
  const { calls = 0, settled = 0, customers = 0, p50Ms = null, p95Ms = null } = total ?? {};
  return {
    ...{ id, calls, settled, customers },
    ...(calls >= ENOUGH_CALLS && p50Ms !== null && p95Ms !== null && { p50Ms, p95Ms }),
    days: days.map((day) => {
      const { calls = 0, settled = 0 } = byDay.get(day) ?? {};
      return { calls, settled };
    }),
  };
}
