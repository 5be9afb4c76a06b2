import { and, eq, type SQL, sql } from "drizzle-orm";
import type { MailCounts, MailRecord, Mails } from "@/lib/domain/alerts/alert-ports.ts";
import { audited, auditedIf } from "../audit.ts";
import { type Database, type Orm, rowsOf } from "../client.ts";
import { findRow, matches, readRow, readValue } from "../rows.ts";
import { emailAddresses } from "../schema.ts";

const LINKS_AN_HOUR = 20;
/** To one mailbox, whichever accounts ask, and for one of them: it must not keep the mailbox's owner from a link. */
const MAILBOX_LINKS_AN_HOUR = 5;
const MAILBOX_LINKS_OF_ACCOUNT = 2;

const IS_DUE =
  "state = 'waiting' and due_at <= app_now() and coalesce(leased_until, '-infinity') < clock_timestamp()";
// One of each account before the second of any: alerts of one can be thousands. Rows can't be locked where they are numbered.
const LEASE = `
  update mails m set leased_until = clock_timestamp() + make_interval(secs => $2), fence = fence + 1, attempts = attempts + 1
  from (select mail_id from mails where ${IS_DUE} and mail_id = any(array(select mail_id from mails where ${IS_DUE}
    order by row_number() over (partition by account order by due_at), due_at limit $1)) for update skip locked) due
  where m.mail_id = due.mail_id
  returning m.mail_id as "mailId", m.account, m.kind, m.ref, m.recipient, m.state, m.attempts, m.fence, m.created_at as "createdAt",
    case m.kind when 'approval' then (select secret_hash from approvals where approval_id = m.ref)
      when 'confirmation' then (select secret_hash from email_addresses e where e.account = m.account) end as "secretHash"`;

const FINISH = `
  update mails set leased_until = null, last_error = coalesce($4, last_error),
    state = case when $3 = 'waiting' and $5::float8 is null then 'failed' else $3 end,
    sent_at = case when $3 = 'sent' then app_now() end,
    due_at = app_now() + make_interval(secs => coalesce($5::float8, 0))
  where mail_id = $1 and fence = $2 and state = 'waiting'`;

const COUNTS = `
  select (count(*) filter (where state = 'waiting'))::int as waiting, max(sent_at) as "lastSentAt",
    (array_agg(last_error order by created_at desc) filter (where state in ('waiting', 'failed') and last_error is not null))[1] as "lastError"
  from mails where account = $1 and created_at > app_now() - interval '7 days'`;

/** Addresses and mails on SQL. */
export function createMails({ orm, query }: Database): Mails {
  return {
    find: (account) => findRow(orm, emailAddresses, { account }),
    counts: (account) => readRow(query<MailCounts>(COUNTS, [account])),
    ask: (request, note) => auditedIf(orm, note, (transaction) => ask(transaction, request)),
    confirm: (account, secretHash, note) =>
      auditedIf(orm, note, (transaction) => confirm(transaction, account, secretHash)),
    remove: (account, note) =>
      audited(orm, note, async (transaction) => {
        await transaction.execute(
          sql`update mails set state = 'dropped' where account = ${account} and state = 'waiting' and kind <> 'address-changed'`,
        );
        // Someone with a stolen session could otherwise remove the address first, and enter theirs unnoticed.
        await transaction.execute(
          sql`select queue_mail(account, 'address-changed', gen_random_uuid()::text) from email_addresses
            where account = ${account} and address is not null`,
        );
        await transaction.delete(emailAddresses).where(eq(emailAddresses.account, account));
      }),
    async countRefused() {
      const refused =
        "select count(*) from mails where state = 'waiting' and last_error is not null";
      return (await readValue<number>(query(refused))) ?? 0;
    },
    lease: (limit, leaseSecs) => query<MailRecord>(LEASE, [limit, leaseSecs]),
    async finish({ mailId, fence }, end) {
      const { error = null, retrySecs = null } = end.state === "waiting" ? end : {};
      await query(FINISH, [mailId, fence, end.state, error, retrySecs]);
    },
  };
}

async function ask(
  transaction: Orm,
  { account, address, mailId, secretHash }: Parameters<Mails["ask"]>[0],
): Promise<boolean> {
  await transaction.execute(
    sql`insert into email_addresses (account) values (${account}) on conflict do nothing`,
  );
  // One after another for each account.
  await transaction.execute(
    sql`select 1 from email_addresses where account = ${account} for update`,
  );
  const since = sql`select count(*)::int from mails where account = ${account} and kind = 'confirmation'
    and created_at > app_now() - interval '1 hour'`;
  const asked = (await readValue<number>(rowsOf(transaction, since))) ?? 0;
  if (asked >= LINKS_AN_HOUR || (await isFull(transaction, account, address))) return false;
  await transaction.execute(
    sql`update mails set state = 'dropped' where account = ${account} and kind = 'confirmation' and state = 'waiting'`,
  );
  await transaction.execute(
    sql`update email_addresses set new_address = ${address}, secret_hash = ${secretHash},
      secret_until = app_now() + interval '1 day' where account = ${account}`,
  );
  await transaction.execute(
    sql`insert into mails (mail_id, account, kind, ref, recipient, state, attempts, due_at, fence, created_at)
      values (${mailId}, ${account}, 'confirmation', ${mailId}, ${address}, 'waiting', 0, app_now(), 0, app_now())`,
  );
  return true;
}

/** Whether the mailbox got as many links as it may, of the account or of all, also under addresses that many providers deliver to the same one. */
async function isFull(transaction: Orm, account: string, address: string): Promise<boolean> {
  const mailbox = mailboxOf(sql`${address}::text`);
  // One after another for each mailbox.
  await transaction.execute(
    sql`select pg_advisory_xact_lock(hashtextextended('mailbox ' || ${mailbox}, 0))`,
  );
  const { all, own } = await readRow(
    rowsOf<{ all: number; own: number }>(
      transaction,
      sql`select count(*)::int as "all", (count(*) filter (where account = ${account}))::int as own from mails
        where kind = 'confirmation' and ${mailboxOf(sql`recipient`)} = ${mailbox}
          and created_at > app_now() - interval '1 hour'`,
    ),
  );
  return all >= MAILBOX_LINKS_AN_HOUR || own >= MAILBOX_LINKS_OF_ACCOUNT;
}

/** The address without its case, its tag after `+` and the dots of its name. */
const mailboxOf = (address: SQL): SQL =>
  sql`regexp_replace(lower(${address}), '\\+[^@]*(?=@)|\\.(?=[^@]*@)', '', 'g')`;

async function confirm(transaction: Orm, account: string, secretHash: string): Promise<boolean> {
  // The mail about the change goes to the address that was.
  await transaction.execute(
    sql`select queue_mail(account, 'address-changed', secret_hash) from email_addresses
      where account = ${account} and secret_hash = ${secretHash} and secret_until > app_now() and address <> new_address`,
  );
  const rows = await transaction
    .update(emailAddresses)
    .set({
      address: sql`new_address`,
      newAddress: null,
      secretHash: null,
      secretUntil: null,
    })
    .where(
      and(
        matches(emailAddresses, { account, secretHash }),
        sql`${emailAddresses.secretUntil} > app_now()`,
      ),
    )
    .returning({ address: emailAddresses.address });
  const [confirmed] = rows;
  if (!confirmed) return false;
  // The address may have been changed because these were not accepted.
  await transaction.execute(
    sql`update mails set recipient = ${confirmed.address}, attempts = 0, last_error = null, due_at = app_now()
      where account = ${account} and state = 'waiting' and kind in ('alert', 'approval')`,
  );
  return true;
}
