import type { RevocationQueue } from "@/lib/domain/chain-ports.ts";
import type { Database } from "../client.ts";

/** Revocations of delegations that wait in the outbox; a trigger puts them there with the revocation itself. */
export function createRevocationQueue({ query }: Database): RevocationQueue {
  return {
    listDue: (limit) =>
      query(
        `select d.delegation_id as "delegationId", d.account, o.due_at as "dueAt"
         from outbox o join delegations d on d.delegation_id = o.ref
         where o.kind = 'chain.revoke' and o.state = 'open' and o.due_at <= app_now()
           and not exists (select 1 from holds h join tokens t on t.jti = h.jti
             where h.state = 'held' and t.delegation_id = d.delegation_id)
           and not exists (select 1 from settlements s
             where s.account = d.account and s.delegation_id = d.delegation_id and s.chain_status in ('pending', 'submitted'))
         order by o.id limit $1`,
        [limit],
      ),
    async markDone({ delegationId, dueAt }) {
      // A late grant makes it due anew. A `Date` has no microseconds.
      await query(
        `update outbox set state = 'done', done_at = app_now(), last_error = null
         where kind = 'chain.revoke' and ref = $1 and date_trunc('milliseconds', due_at) = $2::timestamptz`,
        [delegationId, dueAt.toISOString()],
      );
    },
    async putOff(delegationId, reason) {
      await query(
        `update outbox set attempts = attempts + 1, last_error = $2,
           due_at = app_now() + least(300, power(2, least(attempts, 10))) * interval '1 second'
         where kind = 'chain.revoke' and ref = $1`,
        [delegationId, reason],
      );
    },
  };
}
