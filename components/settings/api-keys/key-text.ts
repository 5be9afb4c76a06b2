import {
  hasRight,
  KEY_PRESETS,
  KEY_SCOPES,
  type KeyPreset,
  type KeyRights,
  type KeyScope,
  type OutputOf,
} from "@turnpike/payments/protocol";
import { DAY_MS } from "@/lib/text/durations.ts";

export type ApiKey = OutputOf<"listApiKeys">["items"][number];

/** Each scope: its name and examples. */
export const SCOPES: Record<KeyScope, { label: string; detail: string }> = {
  calls: { label: "Calls", detail: "verify, settle, release" },
  plans: { label: "Plans and agents", detail: "prices, receivers, endpoints" },
  orders: { label: "Orders", detail: "order, credits left" },
  tokens: { label: "Access tokens", detail: "mint, revoke, pay x402 sellers" },
  delegations: { label: "Delegations", detail: "spending limits" },
  cards: { label: "Cards", detail: "save, remove" },
  activity: { label: "Activity", detail: "requests, unpaid ones too, earnings, all events" },
  keys: { label: "API keys", detail: "create, revoke, webhook endpoints" },
  money: { label: "Money", detail: "refunds, disputes, withdrawals, payouts, budgets, approvals" },
  sandbox: { label: "Sandbox", detail: "faults, clock" },
};

type Effect = {
  text: string;
  /** `write` in any of these does it. */
  by: KeyScope[];
  /** `write` in any of these comes to the same in another way, so a key with it is not said to be unable. */
  alike?: KeyScope[];
};

/** What keys can change. The test compares it with the operations' rows. */
export const EFFECTS: Effect[] = [
  { text: "charge calls", by: ["calls", "activity"] },
  { text: "change plans and agents", by: ["plans"] },
  { text: "set where sales are paid", by: ["plans"] },
  { text: "order plans", by: ["orders", "tokens"] },
  { text: "mint tokens", by: ["tokens"] },
  { text: "pay any x402 seller from the balance", by: ["tokens"] },
  { text: "set spending limits", by: ["delegations", "tokens"] },
  { text: "save and remove cards", by: ["cards"] },
  { text: "write off requests", by: ["activity"] },
  { text: "resend events", by: ["activity"] },
  { text: "change alert rules", by: ["activity"] },
  { text: "share runs", by: ["activity"] },
  { text: "create and revoke keys", by: ["keys"] },
  { text: "change webhook endpoints", by: ["keys"] },
  { text: "refund", by: ["money"] },
  { text: "request refunds", by: ["money"] },
  { text: "answer disputes", by: ["money"] },
  // A plan's seller, an x402 seller and the receiver of a plan's sales can be anyone.
  { text: "withdraw", by: ["money"], alike: ["orders", "tokens", "plans"] },
  { text: "pay out", by: ["money"] },
  { text: "set budgets", by: ["money"] },
  { text: "approve waiting requests", by: ["money"] },
  { text: "change the account’s email address", by: ["money"] },
  { text: "change the sandbox", by: ["sandbox"] },
];

export const PRESETS: Record<KeyPreset, { label: string; detail: string; summary: string }> = {
  gate: {
    label: "Gate",
    detail: "Charge calls of your agents",
    summary: "Verify, settle and release calls",
  },
  buyer: {
    label: "Buyer",
    detail: "Spend the balance on plans and x402 sellers; read activity and money",
    summary: "Spend the balance on plans and x402 sellers; read activity and money",
  },
  read: {
    label: "Read-only",
    detail: "See everything, change nothing",
    summary: "See everything, change nothing",
  },
  full: {
    label: "Full",
    detail: "Full access",
    summary: "Full access",
  },
};

const PRESET_NAMES = Object.keys(PRESETS) as KeyPreset[];

/** The preset with exactly these rights, if there is one. */
export const findPreset = (scopes: KeyRights): KeyPreset | undefined =>
  PRESET_NAMES.find((preset) => {
    const rights: KeyRights = KEY_PRESETS[preset];
    return KEY_SCOPES.every((scope) => (rights[scope] ?? "none") === (scopes[scope] ?? "none"));
  });

const joined = (words: string[], last: "and" | "or"): string =>
  words.length < 2 ? (words[0] ?? "") : `${words.slice(0, -1).join(", ")} ${last} ${words.at(-1)}`;

/** What a key with these rights can change, and what it can't. */
export function effectsOf(scopes: KeyRights): { can: string[]; cannot: string[] } {
  const canWrite = (scope: KeyScope) => hasRight(scopes, { scope, level: "write" });
  const can = EFFECTS.filter(({ by }) => by.some(canWrite));
  const cannot = EFFECTS.filter(
    ({ by, alike = [] }) => ![...by, ...alike].some(canWrite) && !by.includes("sandbox"),
  );
  return { can: can.map(({ text }) => text), cannot: cannot.map(({ text }) => text) };
}

/** The same in words, with what the key can only read. */
export function describeRights(scopes: KeyRights): { can: string; reads: string; cannot: string } {
  const { can, cannot } = effectsOf(scopes);
  const words = (scope: KeyScope) =>
    scope === "keys" ? ["API keys"] : SCOPES[scope].label.toLowerCase().split(" and ");
  const reads = KEY_SCOPES.filter((scope) => scopes[scope] === "read").flatMap(words);
  return {
    can: joined(can, "and"),
    reads: joined(reads, "and"),
    cannot: joined(
      cannot.map((text) => text.replaceAll(" and ", " or ")),
      "or",
    ),
  };
}

/** One line about what a key can do. */
export function summaryOf({ preset, scopes }: Pick<ApiKey, "preset" | "scopes">): string {
  if (preset !== "custom") return PRESETS[preset].summary;
  const { can, reads } = describeRights(scopes);
  const parts = [can, reads && `read ${reads}`].filter(Boolean).join("; ");
  return parts ? parts.charAt(0).toUpperCase() + parts.slice(1) : "Nothing";
}

const IDLE_DAYS = 30;

/** For how many days an active key has not been used; undefined while that is less than 30. */
export function idleDays(key: ApiKey, now: Date): number | undefined {
  const last = new Date(key.lastUsedAt ?? key.createdAt);
  const days = Math.floor((now.getTime() - last.getTime()) / DAY_MS);
  return key.status === "Active" && days >= IDLE_DAYS ? days : undefined;
}
