import { PaymentsError } from "@turnpike/payments/protocol";
import type { EmailAddress } from "@/lib/console/email-address.ts";
import { auditNote, type Context, requireCaller } from "../context.ts";
import type { Verb } from "../verb.ts";
import { confirmationSecret } from "./mail-text.ts";

/** Where the caller's mail goes. */
export async function getEmailAddress({ ports, ...context }: Context): Promise<EmailAddress> {
  const { account } = requireCaller({ ports, ...context });
  const [found, counts] = await Promise.all([
    ports.mails.find(account),
    ports.mails.counts(account),
  ]);
  return {
    ...(found?.address && { address: found.address }),
    ...(found?.newAddress && { unconfirmed: found.newAddress }),
    isAvailable: ports.sendMail !== undefined,
    waiting: counts.waiting,
    ...(counts.lastError && { lastError: counts.lastError }),
    ...(counts.lastSentAt && { lastSentAt: counts.lastSentAt.toISOString() }),
  };
}

/** Sends a link to a new address of the caller's; the address counts once they have followed it. */
export const setEmailAddress: Verb<"setEmailAddress"> = async (context, { address }) => {
  const { account } = requireCaller(context);
  const { mails, crypto, sendMail } = context.ports;
  if (!sendMail) {
    throw new PaymentsError("conflict", "This service doesn’t send email.", {
      hint: "Use a webhook, or ask the operator to set TURNPIKE_SMTP_URL.",
    });
  }
  const mailId = crypto.randomId();
  const secretHash = crypto.digest(confirmationSecret(crypto, mailId));
  const note = auditNote(context, "email-address.set", account);
  if (!(await mails.ask({ account, address, mailId, secretHash }, note))) {
    throw new PaymentsError("rate_limited", "Too many links were sent within an hour.", {
      retryAfterSecs: 3_600,
    });
  }
  return getEmailAddress(context);
};

/** Confirms the caller's new address by the secret of its link. */
export const confirmEmailAddress: Verb<"confirmEmailAddress"> = async (context, { secret }) => {
  const { account } = requireCaller(context);
  const { mails, crypto } = context.ports;
  const note = auditNote(context, "email-address.confirm", account);
  if (!(await mails.confirm(account, crypto.digest(secret), note))) {
    throw new PaymentsError(
      "conflict",
      "This link was used before, has expired, or is not yours.",
      {
        hint: "In Alerts, enter the address again to get a new link.",
      },
    );
  }
  return getEmailAddress(context);
};

/** Removes the caller's address. */
export async function removeEmailAddress(context: Context): Promise<EmailAddress> {
  const { account } = requireCaller(context);
  await context.ports.mails.remove(account, auditNote(context, "email-address.remove", account));
  return getEmailAddress(context);
}
