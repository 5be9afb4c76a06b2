import type { Environment } from "@turnpike/payments/protocol";
import { LRUCache } from "lru-cache";
import type { Stripe } from "stripe";

/** Which customer of the processor an account is. */
export type CustomerBook = {
  /** The account's customer, made when it is not there yet: one per account, however often it is asked for. */
  ensure: (account: string) => Promise<string>;
};

/**
 * Finds customers by the account written in their metadata. A search lags behind by minutes, and an idempotency
 * key holds for a day: together they keep an account from getting two. There is no way to ask without making
 * one, because a search that finds nothing yet would hide cards that are saved.
 */
export function createCustomerBook(
  stripe: Pick<Stripe, "customers">,
  environment: Environment,
): CustomerBook {
  const known = new LRUCache<string, string>({ max: 10_000 });

  async function search(account: string): Promise<string | null> {
    const page = await stripe.customers.search({
      query: `metadata["account"]:"${account}" AND metadata["environment"]:"${environment}"`,
      limit: 100,
    });
    // Should two ever be there, everyone agrees on the older one.
    const [oldest] = page.data.sort((a, b) => a.created - b.created || (a.id < b.id ? -1 : 1));
    return oldest?.id ?? null;
  }

  async function create(account: string): Promise<string> {
    const { id } = await stripe.customers.create(
      { metadata: { account, environment } },
      { idempotencyKey: `cus_${environment}_${account}` },
    );
    return id;
  }

  return {
    async ensure(account) {
      const key = keyOf(account);
      const id = known.get(key) ?? (await search(key)) ?? (await create(key));
      known.set(key, id);
      return id;
    },
  };
}

/** One spelling per address; nothing that could end a search's text. */
function keyOf(account: string): string {
  if (/^0x[0-9a-fA-F]{40}$/.test(account)) return account.toLowerCase();
  throw new Error(`Not an account's address: ${JSON.stringify(account)}`);
}
