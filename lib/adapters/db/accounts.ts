import { eq } from "drizzle-orm";
import type { Accounts } from "@/lib/domain/ports.ts";
import { audited } from "./audit.ts";
import type { Orm } from "./client.ts";
import { findRow } from "./rows.ts";
import { accounts } from "./schema.ts";

export function createAccounts(orm: Orm): Accounts {
  return {
    find: (address) => findRow(orm, accounts, eq(accounts.address, address)),
    findTestCustomer: (account) => findRow(orm, accounts, eq(accounts.testOf, account)),
    async ensure(account) {
      await orm.insert(accounts).values(account).onConflictDoNothing();
    },
    rename: (address, name, note) =>
      audited(orm, note, async (transaction) => {
        await transaction.update(accounts).set({ name }).where(eq(accounts.address, address));
      }),
  };
}
