import { eq, sql } from "drizzle-orm";
import type { Accounts } from "@/lib/domain/ports.ts";
import { audited, auditedIf } from "./audit.ts";
import { type Orm, rowsOf } from "./client.ts";
import { findRow, matches, readValue } from "./rows.ts";
import { accounts } from "./schema.ts";

const DAY = sql`app_now() - interval '1 day'`;
/** Each is read by its index, as far as it may go. */
const MADE_BY = {
  agents: (owner: string) => sql`from agents where owner = ${owner}`,
  plans: (owner: string) => sql`from plans where owner = ${owner}`,
  delegations: (account: string) =>
    sql`from delegations where account = ${account} and created_at > ${DAY}`,
  tokens: (account: string) => sql`from tokens where account = ${account} and issued_at > ${DAY}`,
};

export function createAccounts(orm: Orm): Accounts {
  return {
    find: (address) => findRow(orm, accounts, { address }),
    findTestCustomer: (account) => findRow(orm, accounts, { testOf: account }),
    async ensure(account) {
      await orm.insert(accounts).values(account).onConflictDoNothing();
    },
    rename: (address, name, note) =>
      audited(orm, note, async (transaction) => {
        await transaction.update(accounts).set({ name }).where(eq(accounts.address, address));
      }),
    makeOperator: (address, note) =>
      auditedIf(orm, note, async (transaction) => {
        const made = await transaction
          .update(accounts)
          .set({ isOperator: true })
          .where(matches(accounts, { address, isOperator: false }))
          .returning({ address: accounts.address });
        return made.length > 0;
      }),
    async hasRoom(address, kind, most) {
      const last = sql`select not exists (select 1 ${MADE_BY[kind](address)} offset ${most - 1}::int)`;
      return (await readValue<boolean>(rowsOf(orm, last))) === true;
    },
  };
}
