import type { Role } from "@turnpike/payments/protocol";
import type { Figures, HomeCounts, SideCounts } from "@/lib/domain/figures/activity-ports.ts";
import { openRequests } from "@/lib/domain/figures/open-requests.ts";
import type { Database, Texts } from "../client.ts";
import { statementOf } from "./request-rows.ts";

const sideOf = (column: "builder" | "account") => `
  select count(*)::text as settled, coalesce(sum(s.amount), 0)::text as credits,
    exists (select 1 from settlements x where x.${column} = $1) as "hasSettled"
  from settlements s where s.${column} = $1 and s.created_at >= $2::timestamptz`;

const HOME = `
  select (select count(*) from plans where owner = $1)::text as plans,
    (select count(*) from agents where owner = $1)::text as agents,
    exists (select 1 from request_reports where builder = $1 and money_status = 'challenged') as "hasChallenged",
    (select count(*) from balances where account = $1)::text as subscriptions,
    (select count(*) from tokens where account = $1)::text as tokens,
    count(*)::text as "activeDelegations",
    count(*) filter (where d.expires_at < $2::timestamptz + interval '7 days')::text as "delegationsEnding"
  from delegations d where d.account = $1 and d.revoked_at is null and d.expires_at > $2::timestamptz`;

/** The counts of the dashboard's first page. */
export function createHomeFigures({ query }: Database): Pick<Figures, "home"> {
  const countOpen = async (account: string, role: Role, now: Date) => {
    const filter = openRequests(role, now);
    const { text, parameters } = statementOf(
      account,
      filter,
      (requests) => `select count(*)::int as n from ${requests}`,
    );
    const [row] = await query<{ n: number }>(text, parameters);
    return row?.n ?? 0;
  };
  return {
    async home(account, now): Promise<HomeCounts> {
      const day = new Date(now.getTime() - 86_400_000).toISOString();
      const [[served], [used], unpaid, owed, [home]] = await Promise.all([
        query<Texts<SideCounts>>(sideOf("builder"), [account, day]),
        query<Texts<SideCounts>>(sideOf("account"), [account, day]),
        countOpen(account, "builder", now),
        countOpen(account, "subscriber", now),
        query<Texts<HomeCounts>>(HOME, [account, now.toISOString()]),
      ]);
      const count = (name: keyof HomeCounts) => Number(home?.[name] ?? 0);
      return {
        plans: count("plans"),
        agents: count("agents"),
        hasChallenged: Boolean(home?.hasChallenged),
        served: readSide(served, unpaid),
        used: readSide(used, owed),
        subscriptions: count("subscriptions"),
        tokens: count("tokens"),
        activeDelegations: count("activeDelegations"),
        delegationsEnding: count("delegationsEnding"),
      };
    },
  };
}

const readSide = (row: Texts<SideCounts> | undefined, unsettled: number): SideCounts => ({
  settled: Number(row?.settled ?? 0),
  credits: BigInt(row?.credits ?? 0),
  unsettled,
  hasSettled: Boolean(row?.hasSettled),
});
