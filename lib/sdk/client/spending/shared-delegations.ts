import type { DelegationProvider, DelegationSummary } from "../../protocol/delegation.ts";
import type { InputOf } from "../../protocol/operations.ts";
import { call } from "../call.ts";
import type { Connection } from "../connection.ts";
import { notAllowed, type Purchase } from "./purchase.ts";
import { nextMidnight } from "./spending.ts";

/** What a delegation is for. All processes of an account use one for the same purpose. */
export type Purpose = {
  provider: DelegationProvider;
  /** The order it has to pay; `null` for tokens that only use credits the account has. */
  purchase: Purchase | null;
  /** Its limit in cents when it is made. */
  limit: bigint;
  /** The limit is a day's: it ends with the day, and when it is used up no other is made. */
  isDaily: boolean;
};

type Config = InputOf<"getX402AccessToken">["delegationConfig"];

const DAY_SECS = 86_400;
const PAGE_SIZE = 100;
const nameOf = ({ purchase }: Purpose) =>
  purchase ? "payments.fetch: orders" : "payments.fetch: no orders";

/** Mints under the account's delegation for a purpose, and makes it where there is none. */
export function createSharedDelegations(connection: Connection) {
  // One after another, so that calls at the same time do not each make one.
  let last: Promise<unknown> = Promise.resolve();

  /**
   * The delegation to use, if there is one, and the limit of one to make. Throws `spending_not_allowed` where the order
   * exceeds the day's limit beside what was spent under other delegations than `made`.
   */
  async function find(
    purpose: Purpose,
    made?: string,
  ): Promise<{ id: string | undefined; limit: bigint }> {
    const live = await listLive(connection, purpose);
    const { purchase, isDaily } = purpose;
    const needed = purchase?.cents ?? 0n;
    const others = usedOf(live.filter(({ delegationId }) => delegationId !== made));
    // A payment by `exact` has its price reserved under the delegation that was made for it.
    if (purchase && isDaily && purpose.limit - others < needed) {
      throw notAllowed(
        purchase,
        `The account has spent ${others} cents of this day's \`maxSpend\`.`,
      );
    }
    const limit = isDaily ? purpose.limit - usedOf(live) : purpose.limit;
    const [oldest] = live
      .filter(
        ({ status, remainingBudgetCents: left }) =>
          status === "Active" && left >= needed && (!isDaily || left <= limit),
      )
      .sort((a, b) => compare(a.createdAt, b.createdAt) || compare(a.delegationId, b.delegationId));
    return { id: oldest?.delegationId, limit };
  }

  async function mintUnder<Minted extends { delegationId: string }>(
    purpose: Purpose,
    mint: (config: Config) => Promise<Minted>,
  ): Promise<Minted> {
    const { id, limit } = await find(purpose);
    if (id !== undefined) return mint({ delegationId: id });
    const currency = purpose.purchase?.currency;
    const minted = await mint({
      name: nameOf(purpose),
      planIds: [],
      spendingLimitCents: limit,
      durationSecs: purpose.isDaily ? secsUntil(nextMidnight()) : DAY_SECS,
      ...(currency && { currency }),
    });
    const { delegationId } = minted;
    const kept = await find(purpose, delegationId);
    if (kept.id === undefined || kept.id === delegationId) return minted;
    // Another process made one at the same time. Both keep the older.
    await call(connection, "revokeDelegation", { delegationId }).catch(() => undefined);
    return mint({ delegationId: kept.id });
  }

  return <Minted extends { delegationId: string }>(
    purpose: Purpose,
    mint: (config: Config) => Promise<Minted>,
  ): Promise<Minted> => {
    const result = last.then(() => mintUnder(purpose, mint));
    last = result.catch(() => undefined);
    return result;
  };
}

/** All that were made for a purpose and are not over. */
async function listLive(connection: Connection, purpose: Purpose): Promise<DelegationSummary[]> {
  const query = { name: nameOf(purpose), state: "live", limit: PAGE_SIZE } as const;
  const found: DelegationSummary[] = [];
  let cursor: string | undefined;
  do {
    const page = await call(connection, "listDelegations", { ...query, cursor });
    found.push(...page.items.filter((item) => isFor(purpose, item)));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return found;
}

/** Whether a live delegation was made for the purpose. An exhausted one counts: its money is spent. */
const isFor = (purpose: Purpose, { name, provider, currency, status }: DelegationSummary) =>
  name === nameOf(purpose) &&
  provider === purpose.provider &&
  (purpose.purchase === null || currency === purpose.purchase.currency) &&
  (status === "Active" || status === "Exhausted");

const usedOf = (delegations: DelegationSummary[]) =>
  delegations.reduce((sum, each) => sum + each.amountSpentCents + each.amountReservedCents, 0n);

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

// At least a minute, so that a token minted just before midnight can be used.
const secsUntil = (end: Date) => Math.max(60, Math.ceil((end.getTime() - Date.now()) / 1000));
