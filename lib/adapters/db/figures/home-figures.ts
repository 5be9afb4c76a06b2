import type { Role } from "@turnpike/payments/protocol";
import type { Figures, HomeCounts, SideCounts } from "@/lib/domain/figures/activity-ports.ts";
import { openRequests } from "@/lib/domain/figures/open-requests.ts";
import type { Database } from "../client.ts";
import { readRow } from "../rows.ts";
import type { Statement } from "./request-rows.ts";
import { settledSince, sumsStatement } from "./request-sums.ts";

const PAID_ELSEWHERE =
  "account_payments p where p.account = $1 and p.kind = 'exact' and p.state = 'paid'";
const SIDES: Record<Role, string> = {
  builder: `
    select coalesce(sum(requests), 0)::bigint as settled, coalesce(sum(credits), 0) as credits,
      exists (select 1 from settlements x where x.builder = $1) as "hasSettled"
    from ${settledSince("builder")}`,
  subscriber: `
    select coalesce(sum(requests), 0)::bigint + (select count(*) from ${PAID_ELSEWHERE} and p.created_at >= $2::timestamptz) as settled,
      coalesce(sum(credits), 0) as credits,
      exists (select 1 from settlements x where x.account = $1) or exists (select 1 from ${PAID_ELSEWHERE}) as "hasSettled"
    from ${settledSince("subscriber")}`,
};

const OPEN_DISPUTES = "disputes where owner = $1 and status = 'needs_response'";

// A report that was summed up may be gone.
const HOME = `
  select (select count(*) from plans where owner = $1) as plans,
    (select count(*) from agents where owner = $1) as agents,
    (select agent_id from agents where owner = $1 and archived_at is null order by created_at desc limit 1) as "agentId",
    exists (select 1 from request_sums where account = $1 and role = 'builder' and status = 'challenged' and n > 0)
      or exists (select 1 from request_reports where builder = $1 and money_status = 'challenged') as "hasChallenged",
    (select count(*) from balances where account = $1) as subscriptions,
    (select count(*) from tokens where account = $1) as tokens,
    exists (select 1 from delegations where account = $1 and sign_before is null
      and (spending_limit_cents > 0 or order_limit > 0)) as "hasLimit",
    (select count(*) from alerts where account = $1 and closed_at is null) as "openAlerts",
    (select count(*) from approvals where account = $1 and state = 'pending' and expires_at > $2::timestamptz) as "waitingApprovals",
    (select count(*) from ${OPEN_DISPUTES} and coalesce(respond_by > $2::timestamptz, true)) as "openDisputes",
    (select count(*) from ${OPEN_DISPUTES} and respond_by <= $2::timestamptz) as "lateDisputes",
    (select min(respond_by) from ${OPEN_DISPUTES} and respond_by > $2::timestamptz) as "evidenceUntil",
    count(*) as "activeDelegations"
  from delegations d where d.account = $1 and d.revoked_at is null and d.expires_at > $2::timestamptz`;

/** The counts of the dashboard's first page. */
export function createHomeFigures({ query }: Database): Pick<Figures, "home"> {
  const one = <Row>(...statement: Statement) => readRow(query<Row>(...statement));
  async function readSide(
    account: string,
    role: Role,
    { now, since, includeTest }: Parameters<Figures["home"]>[1],
  ): Promise<SideCounts> {
    const open = sumsStatement(
      account,
      { ...openRequests(role, now), includeTest },
      (requests) => `select coalesce(sum(n), 0)::bigint as unsettled from ${requests}`,
    );
    const [settled, unpaid] = await Promise.all([
      one<Omit<SideCounts, "unsettled">>(SIDES[role], [account, since.toISOString(), includeTest]),
      one<Pick<SideCounts, "unsettled">>(...open),
    ]);
    return { ...settled, ...unpaid };
  }
  return {
    async home(account, scope) {
      const [served, used, home] = await Promise.all([
        readSide(account, "builder", scope),
        readSide(account, "subscriber", scope),
        one<Omit<HomeCounts, "served" | "used">>(HOME, [account, scope.now.toISOString()]),
      ]);
      return { ...home, served, used };
    },
  };
}
