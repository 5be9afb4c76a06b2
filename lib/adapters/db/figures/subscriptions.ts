import type { Holdings, SubscriptionRow } from "@/lib/domain/figures/holdings-ports.ts";
import type { Database } from "../client.ts";
import { chargedAt } from "../order-rows.ts";
import { extentOf, foreignCursor, pageOf } from "../paging.ts";
import { fromStoredPrice } from "../plan-rows.ts";
import { readValue } from "../rows.ts";
import type { StoredPrice } from "../schema.ts";
import { settledSince } from "./request-sums.ts";
import { USED_CREDITS } from "./used-credits.ts";

/** Only what is asked for is a condition: a plan of any values reads all balances of the account. */
const subscriptions = (where: string, page: string) => `
  select b.plan_id as "planId", p.metadata->>'name' as "planName", p.owner,
    v.price,
    p.access_limit as "accessLimit", p.is_trial as "isTrial", b.expires_at is null or b.expires_at > app_now() as "isLive",
    b.available, b.held, b.expires_at as "expiresAt",
    v.min_amount as "minAmount", v.max_amount as "maxAmount",
    o.n as orders, o.last as "lastOrderAt", t.granted, ${USED_CREDITS} as used,
    coalesce(s.n, 0) as "requests30d", coalesce(s.used, 0) as "used30d", k.n as "activeTokens"
  from balances b
  join plans p on p.plan_id = b.plan_id
  join plan_versions v on v.plan_id = b.plan_id and v.version = b.plan_version
  cross join lateral (select count(*) as n, max(${chargedAt("q")}) as last from orders q
    where q.account = b.account and q.plan_id = b.plan_id and q.status = 'minted') o
  cross join lateral (select coalesce(sum(q.amount), 0) as granted
    from transfers q where q.account = b.account and q.plan_id = b.plan_id and q.kind = 'mint') t
  left join (select plan_id, sum(requests)::bigint as n, sum(credits) as used
    from ${settledSince("subscriber", { since: "(app_now() - interval '30 days')", includesTest: "true" })} group by 1) s on s.plan_id = b.plan_id
  cross join lateral (select count(*) as n from tokens q
    where q.account = b.account and q.plan_id = b.plan_id and q.revoked_at is null and q.expires_at > app_now()
      and q.redeemed < q.redemption_limit) k
  where ${where} order by b.plan_id ${page}`;

type StoredSubscription = Omit<SubscriptionRow, "price"> & { price: StoredPrice };

/** The plans an account has credits of. */
export const createSubscriptions = ({ query }: Database): Pick<Holdings, "listSubscriptions"> => ({
  async listSubscriptions(account, page, planId) {
    const { limit, offset } = extentOf(page);
    const { cursor } = page;
    if (cursor !== undefined && !/^\d{1,78}$/.test(cursor)) throw foreignCursor();
    const scope: unknown[] = planId === undefined ? [account] : [account, planId];
    const own = planId === undefined ? "b.account = $1" : "b.account = $1 and b.plan_id = $2";
    const parameters = [...scope, limit + 1, offset];
    const isAfter = cursor === undefined ? "" : ` and b.plan_id > $${parameters.push(cursor)}`;
    const rows = await query<StoredSubscription>(
      subscriptions(own + isAfter, `limit $${scope.length + 1} offset $${scope.length + 2}`),
      parameters,
    );
    const count = `select count(*) from balances b where ${own}`;
    const total = await readValue<number>(query(count, scope));
    return pageOf(
      rows.map((row) => ({ ...row, price: fromStoredPrice(row.price) })),
      { limit, total, cursorOf: (row) => row.planId },
    );
  },
});
