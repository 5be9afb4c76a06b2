import type { AlertKind, PageQuery } from "@turnpike/payments/protocol";
import type { AuditNote, Page } from "../records.ts";
import type { BuiltInRule } from "./built-in-rules.ts";

/** A saved card as alerts know it; it expires at the end of its month. */
export type KnownCard = { id: string; name: string; expiresAt: string };

export type AlertRuleRecord = {
  ruleId: string;
  account: string;
  kind: AlertKind;
  /** Empty for all of the account's. */
  object: string;
  threshold: number;
  email: boolean;
  webhook: boolean;
  isOn: boolean;
  createdAt: Date;
};

/** What a rule may be changed in. */
export type AlertRuleChanges = Partial<
  Pick<AlertRuleRecord, "threshold" | "email" | "webhook" | "isOn">
>;

export type AlertRecord = {
  alertId: string;
  account: string;
  ruleId: string;
  kind: AlertKind;
  object: string;
  measure: string;
  name: string;
  value: string;
  threshold: number;
  /** When what it is about expires; null for other kinds. */
  expiresAt: Date | null;
  email: boolean;
  webhook: boolean;
  createdAt: Date;
  closedAt: Date | null;
};

/** An alert with what became of its mail; null without one. */
export type AlertView = AlertRecord & { mail: MailRecord["state"] | null };

export interface Alerts {
  /** Looks at accounts that are due, at most `limit`; how many that were. */
  run(limit: number, builtIn: readonly BuiltInRule[]): Promise<number>;
  listRules(account: string): Promise<AlertRuleRecord[]>;
  /**
   * Writes rules, in place of those with the same kind, object and threshold, and evaluates the account again; false, and
   * nothing is written, when it would have more than `most`.
   */
  writeRules(rules: AlertRuleRecord[], most: number, audit: AuditNote): Promise<boolean>;
  /**
   * Writes what is given, so that changes of different fields at once all remain. A rule that would equal another takes
   * its place.
   */
  updateRule(ruleId: string, changes: AlertRuleChanges, audit: AuditNote): Promise<void>;
  /**
   * The same for the rule with this threshold among built-in ones, once those that are not written yet are; the ID of the one that
   * was changed, null when the account would have more than `most`.
   */
  takeOverRules(
    rules: AlertRuleRecord[],
    most: number,
    changed: { threshold: number; changes: AlertRuleChanges },
    audit: AuditNote,
  ): Promise<string | null>;
  deleteRule(rule: Pick<AlertRuleRecord, "account" | "ruleId">, audit: AuditNote): Promise<void>;
  list(
    account: string,
    query: PageQuery & { status?: "open" | "closed" | undefined },
  ): Promise<Page<AlertView>>;
  find(alertId: string): Promise<AlertRecord | null>;
  /** Notes whether a part outside the service works; since when it does not is kept. */
  noteService(name: string, isTroubled: boolean): Promise<void>;
  /** Accounts with live card delegations whose cards were not read for a day. Those that can't be read are due again in an hour. */
  takeDueCards(limit: number): Promise<string[]>;
  writeCards(account: string, cards: readonly KnownCard[]): Promise<void>;
}

export type MailRecord = {
  mailId: string;
  account: string;
  kind: "alert" | "approval" | "confirmation" | "address-changed";
  ref: string;
  recipient: string;
  /** The digest of the secret that its link must carry; null without a link, or once it was used. */
  secretHash: string | null;
  state: "waiting" | "sent" | "failed" | "dropped";
  attempts: number;
  fence: number;
  createdAt: Date;
};

type EmailRecord = {
  address: string | null;
  newAddress: string | null;
  secretUntil: Date | null;
};

/** How an account's mail fares. */
export type MailCounts = { waiting: number; lastError: string | null; lastSentAt: Date | null };

export interface Mails {
  find(account: string): Promise<EmailRecord | null>;
  counts(account: string): Promise<MailCounts>;
  /** Notes a new address and the mail that confirms it; false after too many of them within the hour. */
  ask(
    request: { account: string; address: string; mailId: string; secretHash: string },
    audit: AuditNote,
  ): Promise<boolean>;
  /** Takes the new address whose secret this is; false when it was used or has expired. The old address is notified. */
  confirm(account: string, secretHash: string, audit: AuditNote): Promise<boolean>;
  /** The removed address is notified. */
  remove(account: string, audit: AuditNote): Promise<void>;
  /** Leases mails that are due. */
  lease(limit: number, leaseSecs: number): Promise<MailRecord[]>;
  /** Mails of all accounts that the mail server refused and that are tried again. */
  countRefused(): Promise<number>;
  /** Ends a try; a lost lease changes nothing. A wait without a number of seconds gives the mail up. */
  finish(
    mail: Pick<MailRecord, "mailId" | "fence">,
    end:
      | { state: "sent" | "dropped" }
      | { state: "waiting"; error: string; retrySecs: number | null },
  ): Promise<void>;
}

export type Mail = {
  to: string;
  subject: string;
  text: string;
  /** The same at every try: a mailbox that gets a mail twice can tell. */
  messageId: string;
};

/** The way to the mail server. Throws when it did not accept the mail. */
export type SendMail = (mail: Mail) => Promise<void>;
