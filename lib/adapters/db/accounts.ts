import { eq } from "drizzle-orm";
import type { Accounts } from "@/lib/domain/ports.ts";
import { audited, auditedIf } from "./audit.ts";
import type { Orm } from "./client.ts";
import { findRow, matches } from "./rows.ts";
import { accounts } from "./schema.ts";

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
  };
}
