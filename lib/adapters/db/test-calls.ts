import { pathOf } from "@turnpike/payments/protocol";
import { sql } from "drizzle-orm";
import { isSentToEndpoint } from "@/lib/domain/plans/agent-url.ts";
import type { TestCalls } from "@/lib/domain/ports.ts";
import type { AgentRecord } from "@/lib/domain/records.ts";
import { type Database, rowsOf } from "./client.ts";

const BUILDERS = `
  select distinct p.owner, coalesce(a.endpoints, '[]') as endpoints
  from plans p left join agents a on a.owner = p.owner and a.archived_at is null
  where p.plan_id = any($1)`;

const NOTE = `
  insert into test_calls (builder, method, path, sent_at, answered_at)
  values ($1, $2, $3, app_now() - $4::float8 * interval '1 millisecond', app_now())`;

const EXPIRE = `delete from test_calls where request_key is null and answered_at < app_now() - interval '1 hour'`;

const HAS_OPEN = "select 1 from test_calls where builder = $1 and request_key is null limit 1";

// A gate names its 402s itself and reports them a little later, by its own clock: the nearest report of the same
// method and about the same time is this request's. Of two that fit equally, either one leaves the counts right.
const MATCH = (builder: string) => sql`
  with nearest as (
    select distinct on (r.request_key) c.id, r.request_key
    from test_calls c cross join lateral (
      select q.request_key, q.path = c.path as is_same, abs(extract(epoch from q.at - c.sent_at)) as distance
      from request_reports q
      where q.builder = c.builder and q.http_status = 402 and q.method = c.method
        and q.at between c.sent_at - interval '5 seconds' and c.answered_at + interval '5 seconds'
        and not exists (select 1 from test_calls t where t.request_key = q.request_key)
      order by 2 desc, 3, 1 limit 1
    ) r
    where c.builder = ${builder} and c.request_key is null
    order by r.request_key, r.distance
  )
  update test_calls c set request_key = n.request_key from nearest n where c.id = n.id returning c.id`;

export function createTestCalls({ orm, query }: Database): TestCalls {
  const match = async (builder: string): Promise<void> => {
    if ((await query(HAS_OPEN, [builder])).length === 0) return;
    await orm.transaction(async (transaction) => {
      // One at a time for each builder: a report belongs to one test.
      await transaction.execute(
        sql`select pg_advisory_xact_lock(hashtext(${`test-calls/${builder}`}))`,
      );
      while ((await rowsOf(transaction, MATCH(builder))).length > 0);
    });
  };
  return {
    match,
    async note({ planIds, account, durationMs, ...call }) {
      const builders = await query<Pick<AgentRecord, "owner" | "endpoints">>(BUILDERS, [planIds]);
      const builder = builders.find(
        ({ owner, endpoints }) => owner === account || isSentToEndpoint(endpoints, call),
      )?.owner;
      if (builder === undefined) return;
      await query(NOTE, [builder, call.method, pathOf(call.url), durationMs]);
      await query(EXPIRE);
      await match(builder);
    },
  };
}
