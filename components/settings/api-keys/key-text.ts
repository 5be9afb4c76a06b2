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

type ScopeText = { label: string; detail: string; write: string };

/** Each scope: its name, examples, and what `write` lets a key do. */
export const SCOPES: Record<KeyScope, ScopeText> = {
  calls: { label: "Calls", detail: "verify, settle, release", write: "charge calls" },
  plans: {
    label: "Plans and agents",
    detail: "prices, endpoints",
    write: "change plans and agents",
  },
  orders: { label: "Orders", detail: "order, credits left", write: "order plans" },
  tokens: { label: "Access tokens", detail: "mint, revoke", write: "mint tokens" },
  delegations: {
    label: "Delegations",
    detail: "spending limits",
    write: "set spending limits",
  },
  cards: { label: "Cards", detail: "save, remove", write: "save and remove cards" },
  activity: {
    label: "Activity",
    detail: "requests, subscribers, earnings, all events",
    write: "write off requests and change alert rules",
  },
  keys: {
    label: "API keys",
    detail: "create, revoke, webhook endpoints",
    write: "create and revoke keys and webhook endpoints",
  },
  money: {
    label: "Money",
    detail: "refunds, disputes, withdrawals, payouts",
    write: "refund, answer disputes, withdraw and pay out",
  },
  sandbox: { label: "Sandbox", detail: "faults, clock", write: "change the sandbox" },
};

export const PRESETS: Record<KeyPreset, { label: string; detail: string; summary: string }> = {
  gate: {
    label: "Gate",
    detail: "Charge calls of your agents",
    summary: "Verify, settle and release calls",
  },
  buyer: {
    label: "Buyer",
    detail: "Order plans and mint tokens; read activity and money",
    summary: "Order plans and mint tokens; read activity and money",
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

/** What a key with these rights can change, what it can only read, and what it can't change. */
export function describeRights(scopes: KeyRights): { can: string; reads: string; cannot: string } {
  const canWrite = (scope: KeyScope) => hasRight(scopes, { scope, level: "write" });
  const written = KEY_SCOPES.filter(canWrite);
  const read = KEY_SCOPES.filter(
    (scope) => !canWrite(scope) && hasRight(scopes, { scope, level: "read" }),
  );
  const words = (scope: KeyScope) =>
    scope === "keys" ? ["API keys"] : SCOPES[scope].label.toLowerCase().split(" and ");
  return {
    can: joined(
      written.map((scope) => SCOPES[scope].write),
      "and",
    ),
    reads: joined(read.flatMap(words), "and"),
    cannot: joined(
      KEY_SCOPES.filter((scope) => scope !== "sandbox" && !canWrite(scope)).map((scope) =>
        SCOPES[scope].write.replaceAll(" and ", " or "),
      ),
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
