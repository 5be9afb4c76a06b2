import type { CardCustomers } from "@/lib/domain/card-ports.ts";
import type { Database } from "./client.ts";
import { readValue } from "./rows.ts";

const KEEP = `
  with kept as (
    insert into card_customers (account, customer) values ($1, $2)
    on conflict (account) do update set customer = excluded.customer where card_customers.customer = $3 returning 1)
  select count(*) from kept`;

/** Customers of the card processor on SQL. */
export function createCardCustomers({ query }: Database): CardCustomers {
  const find: CardCustomers["find"] = async (account) => {
    const known = "select customer from card_customers where account = $1";
    return (await readValue<string>(query(known, [account]))) ?? null;
  };
  return {
    find,
    async keep(account, customer, instead) {
      await query(KEEP, [account, customer, instead]);
      return (await find(account)) ?? customer;
    },
  };
}
