import { EXACT } from "@turnpike/payments/protocol";
import { eq, sql } from "drizzle-orm";
import {
  type AcceptedPayment,
  type Authorizations,
  walletDelegation,
} from "@/lib/domain/exact/exact-ports.ts";
import { databaseNow } from "./audit.ts";
import { inTransaction, type Orm, rowsOf } from "./client.ts";
import { findRow } from "./rows.ts";
import { accounts, authorizations, balances, delegations, tokens } from "./schema.ts";

/** Longer than anything takes that is paid this way: the authorization itself says when it expires. */
const NEVER = sql`app_now() + interval '100 years'`;

/** Makes the id and the sealed session key of a payer's delegation. */
type NewKey = () => { address: string; sealedKey: string };

const noKey: NewKey = () => {
  throw new Error("This process makes no keys.");
};

export function createAuthorizations(orm: Orm, createKey: NewKey = noKey): Authorizations {
  /** A payer's authorizations wait for each other's lock; they wait here, where they hold no connection. */
  const last = new Map<string, Promise<void>>();
  return {
    find: (id) => findRow(orm, authorizations, eq(authorizations.id, id)),
    open(payment, { balance, leaseSecs, since }) {
      const written = (last.get(payment.payer) ?? Promise.resolve()).then(() =>
        inTransaction(orm, open),
      );
      const over = written.then(
        () => {},
        () => {},
      );
      last.set(payment.payer, over);
      void over.then(() => last.get(payment.payer) === over && last.delete(payment.payer));
      return written;

      async function open(transaction: Orm): ReturnType<Authorizations["open"]> {
        await ensurePayer(transaction, payment.payer);
        const [known] = await transaction
          .select()
          .from(authorizations)
          .where(eq(authorizations.id, payment.id));
        if (known) return isSame(known, payment) ? "open" : "used";
        const reserved = await sumReserved(transaction, payment, { leaseSecs, since });
        if (reserved + payment.value > balance) return "underfunded";
        await insertPayment(transaction, payment, createKey);
        return "open";
      }
    },
    async close(id, state, transaction) {
      await orm
        .update(authorizations)
        .set({ state, transaction, closedAt: databaseNow as never })
        .where(eq(authorizations.id, id));
    },
    async fundHold(builder, agentRequestId, amount) {
      const [row] = await rowsOf<{ isFunded: boolean }>(
        orm,
        sql`select fund_hold(${`${builder}/${agentRequestId}`}, ${amount.toString()}::numeric) as "isFunded"`,
      );
      return row?.isFunded === true;
    },
  };
}

const SAME = ["builder", "planId", "agentRequestId", "payTo", "value"] as const;

/** Whether both are one payment for one thing: a payer may sign several with one nonce, and only one is captured. */
const isSame = (known: AcceptedPayment, payment: AcceptedPayment): boolean =>
  SAME.every((name) => known[name] === payment[name]);

/** The account of a wallet, under its own address; its lock puts the payer's authorizations one after another. */
async function ensurePayer(transaction: Orm, payer: string): Promise<void> {
  await transaction
    .insert(accounts)
    .values({ address: payer, owner: payer, ownerKey: null, createdAt: databaseNow as never })
    .onConflictDoNothing();
  await transaction
    .select({ address: accounts.address })
    .from(accounts)
    .where(eq(accounts.address, payer))
    .for("no key update");
}

/**
 * What the payer's other authorizations of this token take of a balance that was read after `since`: those of requests under
 * way, and those captured meanwhile.
 */
async function sumReserved(
  transaction: Orm,
  { payer, asset }: AcceptedPayment,
  { leaseSecs, since }: { leaseSecs: number; since: Date },
): Promise<bigint> {
  const [row] = await rowsOf<{ total: string }>(
    transaction,
    sql`
    select coalesce(sum(a.value), 0)::text as total from authorizations a
    left join holds h on h.jti = a.id
    where a.payer = ${payer} and a.asset = ${asset} and (
      a.state = 'captured' and a.closed_at > ${since.toISOString()}::timestamptz
      or a.state = 'open'
        and coalesce(h.state = 'held', a.created_at > app_now() - make_interval(secs => ${leaseSecs})))`,
  );
  return BigInt(row?.total ?? 0);
}

async function insertPayment(
  transaction: Orm,
  payment: AcceptedPayment,
  createKey: NewKey,
): Promise<void> {
  const { id, payer, planId, planVersion } = payment;
  const createdAt = databaseNow as never;
  if (planId !== null && planVersion !== null) {
    const delegationId = walletDelegation(payer);
    const [known] = await transaction
      .select({ id: delegations.delegationId })
      .from(delegations)
      .where(eq(delegations.delegationId, delegationId));
    if (!known) {
      const { address, sealedKey } = createKey();
      await transaction.insert(delegations).values({
        delegationId,
        account: payer,
        provider: EXACT,
        currency: "usd",
        planIds: [],
        spendingLimitCents: 0n,
        spentCents: 0n,
        reservedCents: 0n,
        transactionCount: 0,
        sessionKeyAddress: address,
        sessionKey: sealedKey,
        createdAt,
        expiresAt: NEVER as never,
      });
    }
    await transaction.insert(tokens).values({
      jti: id,
      account: payer,
      planId,
      delegationId,
      canOrder: false,
      redemptionLimit: 1,
      redeemed: 0,
      reserved: 0,
      orderLimit: 0n,
      orderSpent: 0n,
      orderReserved: 0n,
      issuedAt: createdAt,
      expiresAt: NEVER as never,
    });
    await transaction
      .insert(balances)
      .values({
        account: payer,
        planId,
        available: 0n,
        held: 0n,
        planVersion,
        seq: 0,
        hash: new Uint8Array(),
      })
      .onConflictDoNothing();
  }
  await transaction.insert(authorizations).values({ ...payment, state: "open", createdAt });
}
