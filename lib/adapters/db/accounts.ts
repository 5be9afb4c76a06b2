import { eq } from "drizzle-orm";
import type { Accounts } from "@/lib/domain/ports.ts";
import { audited } from "./audit.ts";
import type { Orm } from "./client.ts";
import { accounts } from "./schema.ts";

export function createAccounts(orm: Orm): Accounts {
  return {
    async find(address) {
      const [row] = await orm.select().from(accounts).where(eq(accounts.address, address));
      return row ?? null;
    },
    async findTestCustomer(account) {
      const [row] = await orm.select().from(accounts).where(eq(accounts.testOf, account));
      return row ?? null;
    },
    async ensure(account) {
      await orm.insert(accounts).values(account).onConflictDoNothing();
    },
    rename: (address, name, note) =>
      audited(orm, note, async (transaction) => {
        await transaction.update(accounts).set({ name }).where(eq(accounts.address, address));
      }),
  };
}
