import type { DelegationProvider, DelegationSummary } from "../../protocol/delegation.ts";
import { PaymentsError } from "../../protocol/errors.ts";
import type { InputOf } from "../../protocol/operations.ts";
import { call } from "../call.ts";
import type { Connection } from "../connection.ts";
import { notAllowed, type Purchase } from "./purchase.ts";
import { nextMidnight } from "./reserve.ts";

/** What a delegation is for. All processes of an account use one for the same purpose. */
export type Purpose = {
  provider: DelegationProvider;
  /** The order it has to pay; `null` for tokens that only use credits the account has. */
  purchase: Purchase | null;
  /** Its limit in cents when it is made. */
  limit: bigint;
  /** The limit is a day's: it ends with the day, and when it is used up no other is made. */
  isDaily: boolean;
  /** What is minted has a key, and is minted once under it. */
  isRepeatable?: boolean;
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
   * The delegation to use, if there is one, and the limit of one to make; a refusal where the order exceeds the day's limit
   * beside what was spent under other delegations than `made`, on any rail.
   */
  async function find(
    purpose: Purpose,
    made?: string,
  ): Promise<{ id: string | undefined; limit: bigint; refusal?: PaymentsError }> {
    const counted = await listCounted(connection, purpose);
    const { purchase, isDaily, provider } = purpose;
    const needed = purchase?.cents ?? 0n;
    const others = usedOf(counted.filter(({ delegationId }) => delegationId !== made));
    const limit = isDaily ? purpose.limit - usedOf(counted) : purpose.limit;
    // A payment by `exact` has its price reserved under the delegation that was made for it.
    if (purchase && isDaily && purpose.limit - others < needed) {
      const why = `The account has spent ${others} cents of this day's \`maxSpend\`.`;
      return { id: undefined, limit, refusal: notAllowed(purchase, why) };
    }
    const [oldest] = counted
      .filter(
        ({ status, remainingBudgetCents: left, ...each }) =>
          each.provider === provider &&
          status === "Active" &&
          left >= needed &&
          (!isDaily || left <= limit),
      )
      .sort((a, b) => compare(a.createdAt, b.createdAt) || compare(a.delegationId, b.delegationId));
    return { id: oldest?.delegationId, limit };
  }

  async function mintUnder<Minted extends { delegationId: string }>(
    purpose: Purpose,
    mint: (config: Config) => Promise<Minted>,
  ): Promise<Minted> {
    const { id, limit, refusal } = await find(purpose);
    if (refusal) {
      if (!purpose.isRepeatable || limit < 0n) throw refusal;
      // It may be what was spent: its key then answers what was signed. Without a limit, nothing new is.
      return mint({ spendingLimitCents: 0n }).catch((error) => {
        throw PaymentsError.is(error) && error.code === "payment_refused" ? refusal : error;
      });
    }
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
    if (kept.refusal) throw kept.refusal;
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

/** Those made for a purpose, of any provider, whose spending may count today. */
async function listCounted(connection: Connection, purpose: Purpose): Promise<DelegationSummary[]> {
  const query = {
    name: nameOf(purpose),
    limit: PAGE_SIZE,
    // What was spent under one that is revoked still counts against a day's limit.
    ...(!purpose.isDaily && { state: "live" as const }),
  };
  const found: DelegationSummary[] = [];
  let cursor: string | undefined;
  do {
    const page = await call(connection, "listDelegations", { ...query, cursor });
    found.push(...page.items.filter((item) => isCounted(purpose, item)));
    // Newest first, and each lasts a day at most.
    const isRest = purpose.isDaily && (page.items.at(-1)?.createdAt ?? "") < midnight(-1);
    cursor = isRest ? undefined : page.nextCursor;
  } while (cursor !== undefined);
  return found;
}

/** Whether one counts for the purpose: a live one, an exhausted one, and one that was revoked today. */
const isCounted = (
  purpose: Purpose,
  { name, currency, status, revokedAt = "" }: DelegationSummary,
): boolean =>
  name === nameOf(purpose) &&
  (purpose.purchase === null || currency === purpose.purchase.currency) &&
  (status === "Active" ||
    status === "Exhausted" ||
    (status === "Revoked" && revokedAt >= midnight(0)));

const usedOf = (delegations: DelegationSummary[]) =>
  delegations.reduce((sum, each) => sum + each.amountSpentCents + each.amountReservedCents, 0n);

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

// At least a minute, so that a token minted just before midnight can be used.
const secsUntil = (end: Date) => Math.max(60, Math.ceil((end.getTime() - Date.now()) / 1000));

/** When a day in UTC began, today or so many days from it. */
const midnight = (days: number): string =>
  new Date(nextMidnight().getTime() + (days - 1) * DAY_SECS * 1000).toISOString();
