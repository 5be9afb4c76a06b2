import type { Figures, HomeCounts, SideCounts } from "@/lib/domain/figures/activity-ports.ts";
import type { Database } from "../client.ts";
import { HAS_NO_SETTLEMENT, IS_UNKNOWN_TO_LEDGER } from "./request-rows.ts";
import { isTestPayer, isTestReport } from "./test-payers.ts";

function sideOf(column: "builder" | "account", includeTest: boolean): string {
  const without = (isTest: string) =>
    column === "builder" && !includeTest ? `and not ${isTest}` : "";
  return `
  select count(*) as settled, coalesce(sum(s.amount), 0) as credits,
    exists (select 1 from settlements x where x.${column} = $1) as "hasSettled",
    ((select count(*) from holds h left join request_reports r on r.request_key = h.request_key
      where h.${column} = $1 and h.created_at >= $2::timestamptz - interval '29 days' and h.state = 'expired'
        and ${HAS_NO_SETTLEMENT("h")} and coalesce(r.money_status, 'unknown') <> 'not-charged' ${without(isTestPayer("h.account"))})
     ${column === "builder" ? `+ (select count(*) from request_reports r where r.builder = $1 and r.money_status in ('delivered-unsettled', 'unknown') and ${IS_UNKNOWN_TO_LEDGER} ${without(isTestReport("r"))})` : ""}) as unsettled
  from settlements s where s.${column} = $1 and s.created_at >= $2::timestamptz ${without(isTestPayer("s.account"))}`;
}

const HOME = `
  select (select count(*) from plans where owner = $1) as plans,
    (select count(*) from agents where owner = $1) as agents,
    exists (select 1 from request_reports where builder = $1 and money_status = 'challenged') as "hasChallenged",
    (select count(*) from balances where account = $1) as subscriptions,
    (select count(*) from tokens where account = $1) as tokens,
    count(*) as "activeDelegations"
  from delegations d where d.account = $1 and d.revoked_at is null and d.expires_at > $2::timestamptz`;

/** The counts of the dashboard's first page. */
export function createHomeFigures({ query }: Database): Pick<Figures, "home"> {
  return {
    async home(account, now, includeTest) {
      const day = new Date(now.getTime() - 86_400_000).toISOString();
      const [[served], [used], [home]] = await Promise.all([
        query<SideCounts>(sideOf("builder", includeTest), [account, day]),
        query<SideCounts>(sideOf("account", includeTest), [account, day]),
        query<Omit<HomeCounts, "served" | "used">>(HOME, [account, now.toISOString()]),
      ]);
      return { ...home, served, used } as HomeCounts;
    },
  };
}
