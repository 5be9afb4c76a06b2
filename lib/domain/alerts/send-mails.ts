import type { Ports } from "../ports.ts";
import type { Mail, MailRecord, SendMail } from "./alert-ports.ts";
import { writeMail } from "./mail-text.ts";

/** How long after a failed try the next one is: three days in all. */
export const MAIL_RETRY_SECS: readonly number[] = [
  15, 60, 300, 1_800, 7_200, 18_000, 36_000, 72_000, 122_000,
];
/** Longer than a try can take, so that a replica that still sends is not overtaken. */
const LEASE_SECS = 120;
const AT_ONCE = 10;
const KEPT_ERROR = 300;

type Parts = Parameters<typeof writeMail>[0] & Pick<Ports, "mails" | "log">;

/**
 * Sends the mails that are due; how many it tried. What the mail server refuses is tried again for three days, under the same
 * message id.
 */
export async function sendMails(ports: Parts, sendMail: SendMail): Promise<number> {
  const due = await ports.mails.lease(AT_ONCE, LEASE_SECS);
  await Promise.all(due.map((mail) => sendOne(ports, sendMail, mail)));
  return due.length;
}

async function sendOne(ports: Parts, sendMail: SendMail, mail: MailRecord): Promise<void> {
  const { mails, log, origin } = ports;
  const { mailId, account, attempts, recipient: to } = mail;
  try {
    const written = await writeMail(ports, mail);
    if (!written) return await mails.finish(mail, { state: "dropped" });
    const messageId = `<${mailId}@${new URL(origin).hostname}>`;
    await sendMail({ ...written, subject: oneLine(written.subject), to, messageId } satisfies Mail);
    await mails.finish(mail, { state: "sent" });
  } catch (cause) {
    // The server's words name the mailbox, not what the mail says.
    const words = oneLine(cause instanceof Error ? cause.message : String(cause));
    const error = words.slice(0, KEPT_ERROR);
    const logged = withoutMailboxes(words).slice(0, KEPT_ERROR);
    log.warn({ mailId, account, attempts, cause: logged }, "a mail was not accepted");
    const retrySecs = MAIL_RETRY_SECS[attempts - 1] ?? null;
    await mails.finish(mail, { state: "waiting", error, retrySecs });
  }
}

/** Names that people chose must not break a header. */
const oneLine = (text: string) => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim();

/** The log outlives an account, so it has no mailbox, however the server spells it. */
const withoutMailboxes = (line: string) =>
  line
    .split(" ")
    .map((word) => (word.includes("@") ? "…" : word))
    .join(" ");
