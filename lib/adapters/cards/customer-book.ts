import type { Environment } from "@turnpike/payments/protocol";
import { LRUCache } from "lru-cache";
import type { Stripe } from "stripe";
import type { CardCustomers } from "@/lib/domain/card-ports.ts";
import { createSendOnce, isMissing, isRefusal, nullIfMissing } from "./send-once.ts";

/** Which customer of the processor an account is. */
export type CustomerBook = ReturnType<typeof createCustomerBook>;

/**
 * The ledger says which customer an account is. One that it does not know yet, or that the processor does not know any more,
 * is found by the account in its metadata, or made: a search lags behind by minutes, and an idempotency key holds for a day.
 * There is no way to ask without making one, because a search that finds nothing yet would hide cards that are saved.
 */
export function createCustomerBook(
  stripe: Pick<Stripe, "customers">,
  environment: Environment,
  kept: CardCustomers,
) {
  const known = new LRUCache<string, string>({ max: 10_000 });
  const sendOnce = createSendOnce();

  async function search(account: string, gone: string | null): Promise<string | null> {
    const query = `metadata["account"]:"${account}" AND metadata["environment"]:"${environment}"`;
    const page = await stripe.customers.search({ query, limit: 100 }).catch((cause) => {
      // Merchants in India have no search. The ledger and the key keep it to one there.
      if (isRefusal(cause)) return { data: [] };
      throw cause;
    });
    // Should two ever be there, everyone agrees on the older one.
    const [oldest] = page.data
      .filter(({ id }) => id !== gone)
      .sort((a, b) => a.created - b.created || (a.id < b.id ? -1 : 1));
    return oldest?.id ?? null;
  }

  async function create(account: string, gone: string | null): Promise<string> {
    const suffix = gone ? `_${gone}` : "";
    const terms = { metadata: { account, environment } };
    const { id } = await sendOnce(
      `cus_${environment}_${account}${suffix}`,
      (idempotencyKey) => stripe.customers.create(terms, { idempotencyKey }),
      // A second one stays unused: the ledger notes one.
      { find: async () => null },
    );
    return id;
  }

  /** Whether the processor has the customer: it may have been deleted there. */
  async function isThere(id: string): Promise<boolean> {
    const found = await stripe.customers.retrieve(id).catch(nullIfMissing);
    return found !== null && !found.deleted;
  }

  async function find(account: string): Promise<string> {
    const noted = await kept.find(account);
    if (noted && (await isThere(noted))) return noted;
    const id = (await search(account, noted)) ?? (await create(account, noted));
    return kept.keep(account, id, noted);
  }

  /** The account's customer, made when it is not there yet: one per account, however often it is asked for. */
  async function ensure(account: string): Promise<string> {
    const key = keyOf(account);
    const id = known.get(key) ?? (await find(key));
    known.set(key, id);
    return id;
  }

  /** The same, read from the ledger again: another replica may have replaced a customer that was deleted. */
  const refresh = (account: string): Promise<string> => {
    known.delete(keyOf(account));
    return ensure(account);
  };

  return {
    ensure,
    refresh,
    /** Works with the account's customer, and with another one where that was deleted at the processor meanwhile. */
    async use<T>(account: string, work: (customer: string) => Promise<T>): Promise<T> {
      try {
        return await work(await ensure(account));
      } catch (cause) {
        if (!isCustomerMissing(cause)) throw cause;
        return work(await refresh(account));
      }
    },
  };
}

const isCustomerMissing = (cause: unknown): boolean =>
  isMissing(cause) && cause.param === "customer";

/** One spelling per address; nothing that could end a search's text. */
function keyOf(account: string): string {
  if (/^0x[0-9a-fA-F]{40}$/.test(account)) return account.toLowerCase();
  throw new Error(`Not an account's address: ${JSON.stringify(account)}`);
}
