import type {
  CauseRow,
  Figures,
  FunnelCounts,
  ServedRow,
} from "@/lib/domain/figures/activity-ports.ts";
import type { Database } from "../client.ts";
import { chargedAt } from "../order-rows.ts";
import { fromStoredPrice } from "../plan-rows.ts";
import { readRow, readValue } from "../rows.ts";
import type { StoredPrice } from "../schema.ts";
import { GONE_BACK } from "./gone-back.ts";
import { createHomeFigures } from "./home-figures.ts";
import { settledSince, sumsStatement } from "./request-sums.ts";
import { isTestPayer } from "./test-payers.ts";
import { createTopSubscribers } from "./top-subscribers.ts";
import { causesStatement } from "./unpaid-causes.ts";

const countOf = (condition: string) => `coalesce(sum(n) filter (where ${condition}), 0)::bigint`;
const FUNNEL = `
  select ${countOf("status = 'challenged'")} as challenged, ${countOf("status = 'refused'")} as refused,
    ${countOf("status in ('settled', 'not-charged', 'delivered-unsettled', 'unknown')")} as verified,
    ${countOf("status = 'not-charged'")} as "notCharged", coalesce(sum(delivered), 0)::bigint as delivered,
    ${countOf("status = 'settled'")} as settled`;

/** Rows of the queue that are summed up in one transaction: a row of settlements is a whole batch. */
const A_ROUND = 100;
/** Requests of an account with fewer are read one by one: sums by the hour would be as many rows. */
const BUSY_FROM = 5_000;

const SALES = `
  select o.plan_id as "planId", p.metadata->>'name' as "planName", o.scheme, o.currency,
    floor(extract(epoch from ${chargedAt("o")}) / $3::int)::bigint as bucket,
    count(*) as orders, sum(o.price) as amount,
    count(back.amount) as refunds, coalesce(sum(back.amount), 0) as refunded
  from plans p join orders o on o.plan_id = p.plan_id ${GONE_BACK}
  where p.owner = $1 and ${chargedAt("o")} >= $2::timestamptz and o.status in ('minted', 'refunded') and o.price > 0
    and ($4::boolean or not ${isTestPayer("o.account")})
  group by 1, 2, 3, 4, 5`;

const SERVED = `
  with served as (
    select s.plan_id, s.agent_id, floor(extract(epoch from s.at) / $4::int)::bigint as bucket,
      sum(s.requests)::bigint as requests, sum(s.credits) as credits
    from (select * from ${settledSince("builder")}) s group by 1, 2, 3
  )
  select s.plan_id as "planId", p.metadata->>'name' as "planName", s.agent_id as "agentId", a.metadata->>'name' as "agentName",
    s.bucket, s.requests, s.credits, v.price, v.granted
  from served s join plans p on p.plan_id = s.plan_id
    join plan_versions v on v.plan_id = p.plan_id and v.version = p.version
    left join agents a on a.agent_id = s.agent_id`;

/** How long after a day of an account could not be summed the next one is: it may have taken as long as a statement may. */
const COVER_AGAIN_MS = 60_000;
/** The same where all days fail that are left: each replica tries, and no sums are written meanwhile. */
const LONGEST_COVER_AGAIN_MS = 900_000;

/** Covers one more day of paid or of unpaid requests; whether it did. After one that failed it pauses. */
function createCover({ query }: Database, isUnpaid: boolean): () => Promise<boolean> {
  let coverAt = 0;
  let pauseMs = COVER_AGAIN_MS;
  let hasFailed = false;
  return async () => {
    if (performance.now() < coverAt) return false;
    try {
      const rows = query("select cover_sums($1, $2)", [hasFailed, isUnpaid]);
      const covered = (await readValue<boolean>(rows)) ?? false;
      if (covered) pauseMs = COVER_AGAIN_MS;
      return covered;
    } catch (cause) {
      hasFailed = true;
      coverAt = performance.now() + pauseMs;
      pauseMs = Math.min(2 * pauseMs, LONGEST_COVER_AGAIN_MS);
      throw cause;
    }
  };
}

function createSumRequests(database: Database): Figures["sumRequests"] {
  const covers = [createCover(database, false), createCover(database, true)];
  return async (busyFrom = BUSY_FROM) => {
    const summed = database.query("select sum_requests($1, $2)", [A_ROUND, busyFrom]);
    const more = await readValue<boolean>(summed);
    let covered = false;
    const failures: unknown[] = [];
    for (const cover of covers)
      covered ||= await cover().catch((cause) => {
        failures.push(cause);
        return false;
      });
    if (failures.length > 0) throw failures[0];
    return Number(covered || (more ?? 0));
  };
}

export function createFigures(database: Database): Figures {
  const { query } = database;
  return {
    sumRequests: createSumRequests(database),
    series: (account, scope, bucketSecs) =>
      query(
        ...sumsStatement(
          account,
          scope,
          (requests, bind) =>
            `select floor(extract(epoch from at) / ${bind(bucketSecs)}::int)::int as bucket, status, sum(n)::bigint as n
             from ${requests} group by 1, 2 having sum(n) <> 0`,
        ),
      ),
    funnel: (account, scope) =>
      readRow(
        query<FunnelCounts>(
          ...sumsStatement(account, scope, (requests) => `${FUNNEL} from ${requests}`),
        ),
      ),
    causes: (account, scope, before) => query<CauseRow>(...causesStatement(account, scope, before)),
    sales: (account, since, bucketSecs, includeTest) =>
      query(SALES, [account, since.toISOString(), bucketSecs, includeTest]),
    async served(account, since, bucketSecs, includeTest) {
      const rows = await query<Omit<ServedRow, "price"> & { price: StoredPrice }>(SERVED, [
        account,
        since.toISOString(),
        includeTest,
        bucketSecs,
      ]);
      return rows.map((row) => ({ ...row, price: fromStoredPrice(row.price) }));
    },
    ...createHomeFigures(database),
    ...createTopSubscribers(database),
  };
}
