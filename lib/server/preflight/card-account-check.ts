import "server-only";
import { findCardAccount } from "@/lib/adapters/cards/find-card-account.ts";
import { findClaimedCardAccount } from "@/lib/adapters/db/chain/made-for.ts";
import { findAccountFault } from "../check-data.ts";
import type { Env } from "../env.ts";
import { type Check, check, Fault } from "./check.ts";
import { withDatabase } from "./database-checks.ts";

/** Whether the keys are of the account that has the cards and payments of the database. */
export const cardAccountCheck = (
  stripe: NonNullable<Env["stripe"]>,
  { databaseUrl = "" }: Pick<Env, "databaseUrl">,
): Check =>
  check("card account of the data", async () => {
    const [account, claimed] = await Promise.all([
      findCardAccount(stripe),
      withDatabase(databaseUrl, (query) => findClaimedCardAccount({ query })),
    ]);
    if (!account) return "not compared: STRIPE_SECRET_KEY may not read its account";
    if (!claimed) return "not recorded yet; the next start records it";
    const fault = findAccountFault(claimed, account);
    if (!fault) return account;
    const [cause = "", ...remedy] = fault.split(/(?<=\.) /);
    throw new Fault(cause, remedy.join(" "));
  });
