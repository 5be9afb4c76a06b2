import { toJson } from "@turnpike/payments/protocol";
import { inArray, sql } from "drizzle-orm";
import { type Authorizations, walletDelegation } from "@/lib/domain/exact/exact-ports.ts";
import { type Orm, rowsOf } from "./client.ts";
import { isOfValues } from "./faults.ts";
import { createBatcher } from "./ledger/batcher.ts";
import { readValue } from "./rows.ts";
import { authorizations } from "./schema.ts";

type Open = Authorizations["open"];
type Opened = Awaited<ReturnType<Open>>;
type Close = { id: string; state: "captured" | "refused"; transaction: string | null };

/** Makes the id and the sealed session key of a payer's delegation. */
type NewKey = () => { address: string; sealedKey: string };

const noKey: NewKey = () => {
  throw new Error("This process makes no keys.");
};

/** Authorizations on SQL. What comes at once is read and written at once: a crowd needs one connection. */
export function createAuthorizations(orm: Orm, createKey: NewKey = noKey): Authorizations {
  const open = createBatcher({
    isOfOneItem: isOfValues,
    run: async (items: Parameters<Open>[]) => {
      const rows = items.map(([payment, parts], ord) => {
        const key = payment.planId === null ? null : createKey();
        return {
          ...payment,
          ...parts,
          ord,
          delegationId: walletDelegation(payment.payer),
          ...(key && { keyAddress: key.address, sealedKey: key.sealedKey }),
        };
      });
      const opened = await rowsOf<{ outcome: Opened }>(
        orm,
        sql`select outcome from open_authorizations(${toJson(rows)}::jsonb) order by ord`,
      );
      return opened.map(({ outcome }) => ({ value: outcome }));
    },
  });
  const close = createBatcher({
    isOfOneItem: isOfValues,
    run: async (items: Close[]) => {
      await rowsOf(orm, sql`select close_authorizations(${toJson(items)}::jsonb)`);
      return items.map(() => ({ value: undefined }));
    },
  });
  const find = createBatcher({
    isOfOneItem: isOfValues,
    run: async (ids: string[]) => {
      const rows = await orm.select().from(authorizations).where(inArray(authorizations.id, ids));
      const found = new Map(rows.map((row) => [row.id, row]));
      return ids.map((id) => ({ value: found.get(id) ?? null }));
    },
  });
  return {
    find,
    open: (payment, parts) => open([payment, parts]),
    close: (id, state, transaction) => close({ id, state, transaction }),
    async gasOfDay(builder) {
      return Number((await readValue(rowsOf(orm, sql`select gas_of_day(${builder})`))) ?? 0);
    },
    async fundHold(builder, agentRequestId, amount) {
      const fund = sql`select fund_hold(${`${builder}/${agentRequestId}`}, ${amount.toString()}::numeric)`;
      return (await readValue<boolean>(rowsOf(orm, fund))) === true;
    },
    async releaseExpired(builder, agentRequestId) {
      await orm.execute(sql`
        with released as (
          update holds h set state = 'released' where h.request_key = ${`${builder}/${agentRequestId}`} and h.state = 'expired'
            and not exists (select 1 from settlements s where s.request_key = h.request_key) returning h.request_key)
        insert into request_changes (is_settled, refs) select false, array_agg(request_key) from released having count(*) > 0`);
    },
  };
}
