import { minorDigits } from "@/lib/console/minor-units.ts";
import { approvalCurrency } from "../budgets/approval-currency.ts";
import { callText } from "../budgets/call-text.ts";
import type { Crypto, Ports } from "../ports.ts";
import type { Mail, MailRecord } from "./alert-ports.ts";
import { alertText } from "./alert-text.ts";

type Written = Pick<Mail, "subject" | "text">;
type Parts = Pick<Ports, "alerts" | "approvals" | "crypto" | "origin" | "rails">;

/** The secret of the link that confirms an address: derived from the mail's id, so that it is stored nowhere. */
export const confirmationSecret = (
  { linkSecret }: Pick<Crypto, "linkSecret">,
  mailId: string,
  storedHash?: string | null,
) => linkSecret(`confirm/${mailId}`, storedHash);

/** The secret of the link of an approval's mail. */
export const approvalSecret = (
  { linkSecret }: Pick<Crypto, "linkSecret">,
  approvalId: string,
  storedHash?: string | null,
) => linkSecret(`approval/${approvalId}`, storedHash);

/** What a mail says at the moment it is sent; null when there is nothing to say any more. */
export async function writeMail(parts: Parts, mail: MailRecord): Promise<Written | null> {
  const { origin, crypto } = parts;
  switch (mail.kind) {
    case "alert":
      return alertMail(parts, mail);
    case "approval":
      return approvalMail(parts, mail);
    case "confirmation":
      return {
        subject: "Confirm your email address",
        text: lines(
          "Alerts and approvals for your Turnpike account will be sent to this address once you confirm it:",
          `${origin}/alerts/confirm#${confirmationSecret(crypto, mail.ref, mail.secretHash)}`,
          "The link works once and expires in 24 hours. Sign in before you open it. If you didn’t request this, ignore this email.",
        ),
      };
    case "address-changed":
      return {
        subject: "Your email address was changed",
        text: lines(
          "Alerts and approvals for your Turnpike account are no longer sent to this address.",
          `If you didn’t change it, see who did: ${origin}/settings/audit`,
        ),
      };
  }
}

async function alertMail({ alerts, origin }: Parts, { ref }: MailRecord): Promise<Written | null> {
  const alert = await alerts.find(ref);
  if (!alert) return null;
  const { title, detail, action } = alertText(alert);
  return {
    subject: title,
    text: lines(
      `${title}.`,
      detail,
      ...(alert.closedAt ? [`It ended at ${stamp(alert.closedAt)}.`] : []),
      `${action.label}: ${origin}${action.path}`,
      `Choose which alerts are emailed: ${origin}/alerts`,
    ),
  };
}

async function approvalMail(
  { approvals, crypto, origin, rails }: Parts,
  { ref, account, secretHash }: MailRecord,
): Promise<Written | null> {
  const approval = await approvals.find(account, ref);
  if (approval?.state !== "pending") return null;
  const currency = approvalCurrency({ rails }, approval);
  const { planName, maxCents, maxCredits, expiresAt, subject } = approval;
  const money = currency && maxCents > 0n ? moneyText(maxCents, currency) : "";
  const credits =
    maxCredits > 0n ? `${maxCredits} ${maxCredits === 1n ? "credit" : "credits"}` : "";
  const cost = [money, credits].filter(Boolean).join(" and ") || "nothing";
  return {
    subject: `Approve ${cost} for ${planName}?`,
    text: lines(
      `A request needs your approval: ${callText(subject)}, plan ${planName}, at most ${cost}.`,
      `Approve or decline by ${stamp(expiresAt)}:`,
      `${origin}/approvals/${ref}#${approvalSecret(crypto, ref, secretHash)}`,
      "The link opens the request; nothing is decided before you choose. It works once, while you are signed in. An approved request goes through once, and a call only until the access token that sent it expires.",
    ),
  };
}

/** An amount of minor units as people read it: `64.00 USD`. */
function moneyText(minor: bigint, currency: string): string {
  const digits = minorDigits(currency);
  const text = minor.toString().padStart(digits + 1, "0");
  const whole = text.slice(0, text.length - digits);
  const amount = digits === 0 ? whole : `${whole}.${text.slice(-digits)}`;
  return `${amount} ${currency.toUpperCase()}`;
}

const lines = (...parts: string[]) => `${parts.join("\n\n")}\n`;
const stamp = (at: Date) => `${at.toISOString().slice(0, 16).replace("T", " ")} UTC`;
