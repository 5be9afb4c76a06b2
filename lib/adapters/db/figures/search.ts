import type { Found, FoundKind, Search } from "@/lib/domain/figures/search-ports.ts";
import type { Database } from "../client.ts";
import { chargedAt } from "../order-rows.ts";
import { isTestPayer } from "./test-payers.ts";

/** One kind of object: where its rows are, and what of a row is searched and shown. */
type Source = {
  from: string;
  id: string;
  name: string;
  detail: string;
  href: string;
  at: string;
  /** One more condition that makes a row the object that was meant. */
  exact?: string;
};

const NAME = (alias: string) => `${alias}.metadata->>'name'`;

// $1 is the account; every source is read by an index that begins with it.
const SOURCES: Record<FoundKind, Source> = {
  agent: {
    from: "agents a where a.owner = $1",
    id: "a.agent_id",
    name: NAME("a"),
    detail:
      "case when a.archived_at is null then coalesce(a.endpoints->0->>'url', '') else 'Archived' end",
    href: "'/agents/' || a.agent_id",
    at: "a.created_at",
    exact:
      "exists (select 1 from jsonb_array_elements(a.endpoints) e where lower(e->>'url') = lower($2))",
  },
  plan: {
    from: "plans p where p.owner = $1",
    id: "p.plan_id",
    name: NAME("p"),
    detail: "initcap(case when p.archived_at is null then p.state else 'archived' end)",
    href: "'/plans/' || p.plan_id",
    at: "p.created_at",
  },
  customer: {
    from: `(select distinct b.account from plans p join balances b on b.plan_id = p.plan_id and b.seq > 0 where p.owner = $1 and not ${isTestPayer("b.account")}) c left join accounts n on n.address = c.account where true`,
    id: "c.account",
    name: "coalesce(n.name, c.account)",
    detail: "c.account",
    href: "'/customers/' || c.account",
    at: "n.created_at",
  },
  subscription: {
    from: "balances b join plans p on p.plan_id = b.plan_id where b.account = $1",
    id: "b.plan_id",
    name: NAME("p"),
    detail: "b.available::text || ' credits left'",
    href: "'/subscriptions/' || b.plan_id",
    at: "p.created_at",
  },
  delegation: {
    from: "delegations d where d.account = $1",
    id: "d.delegation_id",
    name: "coalesce(d.name, 'Delegation ' || left(d.delegation_id, 6) || '…' || right(d.delegation_id, 4))",
    detail: "case when d.revoked_at is null then upper(d.currency) else 'Revoked' end",
    href: "'/delegations/' || d.delegation_id",
    at: "d.created_at",
  },
  token: {
    from: "tokens t join plans p on p.plan_id = t.plan_id where t.account = $1",
    id: "t.jti",
    name: NAME("p"),
    detail: "case when t.revoked_at is null then 'Access token' else 'Revoked access token' end",
    href: "'/tokens/' || t.jti",
    at: "t.issued_at",
  },
  order: {
    from: `(select o.*, '/checkout/' || o.plan_id || '/' || o.order_id as href from orders o where o.account = $1 union all
      select o.*, '/customers/' || o.account from plans q join orders o on o.plan_id = q.plan_id where q.owner = $1 and o.account <> $1 and o.status in ('minted', 'refunded') and not ${isTestPayer("o.account")}) o
      join plans p on p.plan_id = o.plan_id where true`,
    id: "o.order_id",
    name: NAME("p"),
    detail: "'Order, ' || replace(o.status, '_', ' ')",
    href: "o.href",
    at: chargedAt("o"),
    exact: "lower(o.reference) = lower($2)",
  },
  apiKey: {
    from: "api_keys k where k.account = $1",
    id: "k.key_id",
    name: "k.name",
    detail: "'API key …' || k.last4",
    href: "'/settings/api-keys'",
    at: "k.created_at",
    exact: "lower(k.last4) = lower($2)",
  },
};

/** Ids match from four characters on: fewer are in all of them. */
const sourceOf = (kind: FoundKind, { from, id, name, detail, href, at, exact }: Source) => `(
  select * from (select '${kind}' as kind, ${id} as id, ${name} as name, ${detail} as detail, ${href} as href, ${at} as at,
    case when lower(${id}) = lower($2) ${exact ? `or ${exact}` : ""} then 0 when lower(${name}) = lower($2) then 1
      when ${name} ilike $3 || '%' or (length($2) > 3 and ${id} ilike $3 || '%') then 2
      when ${name} ilike '%' || $3 || '%' or (length($2) > 3 and ${id} ilike '%' || $3 || '%') then 3 end as rank
    from ${from}) found where rank is not null order by rank, length(name), at desc nulls last limit $4)`;

const SETTLED_AS = `
  select s.agent_request_id as id, 0 as rank from settlements s where (s.builder = $1 or s.account = $1) and s.settlement_id = any(array(
    select $2::text union all
    select c.settlement_id from chain_bundles b join chain_burns c on c.bundle_id = b.bundle_id
    where b.transactions @> jsonb_build_array(jsonb_build_object('hash', $2::text)))) limit $3`;

/** A part of an id is looked for in the newest requests: each list is read by its index, and no further. */
const NEWEST = 2_000;
const newest = (table: string, side: string, at = "created_at") =>
  `(select agent_request_id as id, ${at} as at from ${table} where ${side} = $1 order by ${at} desc limit ${NEWEST})`;
const LIKE = `
  select id, case when position(lower($2) in lower(id)) = 1 then 2 else 3 end as rank from (
    ${[
      newest("settlements", "builder"),
      newest("settlements", "account"),
      newest("holds", "state <> 'posted' and builder"),
      newest("holds", "state <> 'posted' and account"),
      newest("request_reports", "builder", "at"),
    ].join(" union all ")}) seen
  where position(lower($2) in lower(id)) > 0 group by id order by 2, max(at) desc limit $3`;

/** Finds an account's objects by name, id, address or hash. */
export const createSearch = ({ query }: Database): Search => ({
  async find(account, text, { kinds, limit }) {
    if (kinds.length === 0) return [];
    const escaped = text.replace(/[\\%_]/g, "\\$&");
    return query<Found>(kinds.map((kind) => sourceOf(kind, SOURCES[kind])).join(" union all "), [
      account,
      text,
      escaped,
      limit,
    ]);
  },
  requestsSettledAs: (account, text, limit) => query(SETTLED_AS, [account, text, limit]),
  requestsLike: (account, text, limit) => query(LIKE, [account, text, limit]),
});
