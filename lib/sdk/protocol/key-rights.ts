/**
 * The groups of operations that an API key is given rights to, one by one. Every operation's row names one:
 * `calls` are verify, settle, release and their reports; `plans` are plans and agents; `tokens` are access tokens and payments
 * to x402 sellers from the balance; `activity` is what was called and earned, with all events, and requests that were not paid,
 * which `write` settles or writes off; `keys` are API keys and where events are sent; `money` is refunds, disputes,
 * withdrawals, payouts, budgets, approvals and the address for email.
 */
export const KEY_SCOPES = [
  "calls",
  "plans",
  "orders",
  "tokens",
  "delegations",
  "cards",
  "activity",
  "keys",
  "money",
  "sandbox",
] as const;
/** A part of the API that rights are given for, such as `tokens`. */
export type KeyScope = (typeof KEY_SCOPES)[number];

/** From least to most: each level includes the ones before it. */
export const KEY_LEVELS = ["none", "read", "write"] as const;
/** How far a right reaches in its scope: `none`, `read` or `write`. */
export type KeyLevel = (typeof KEY_LEVELS)[number];

/** What a key may do. A scope that is left out is `none`. */
export type KeyRights = { readonly [Scope in KeyScope]?: KeyLevel | undefined };

/** One right: what an operation's row asks of the key that calls it. */
export type KeyRight = { scope: KeyScope; level: KeyLevel };

const everything = (level: KeyLevel): KeyRights =>
  Object.fromEntries(KEY_SCOPES.map((scope) => [scope, level]));

/** Rights by what a key is for: to gate an agent, to buy from agents, to look, or to do everything. */
export const KEY_PRESETS = {
  gate: { calls: "write", plans: "read" },
  buyer: {
    orders: "write",
    tokens: "write",
    delegations: "write",
    cards: "read",
    // What it paid for, and what became of it.
    calls: "read",
    activity: "read",
    money: "read",
  },
  read: everything("read"),
  full: everything("write"),
} as const satisfies Record<string, KeyRights>;
/** The name of ready-made rights, such as `gate`: a key of `KEY_PRESETS`. */
export type KeyPreset = keyof typeof KEY_PRESETS;

/**
 * Whether rights include one right. A scope that is unknown is not included.
 *
 * @example hasRight(KEY_PRESETS.gate, { scope: "plans", level: "write" }) // false
 */
export const hasRight = (rights: KeyRights, { scope, level }: KeyRight): boolean =>
  KEY_LEVELS.indexOf(rights[scope] ?? "none") >= KEY_LEVELS.indexOf(level);

/** The rights among `wanted` that `own` does not include, as `scope:level`. */
export const rightsBeyond = (wanted: KeyRights, own: KeyRights): string[] =>
  KEY_SCOPES.map((scope): KeyRight => ({ scope, level: wanted[scope] ?? "none" }))
    .filter((right) => !hasRight(own, right))
    .map(rightName);

/** A right as messages and documents write it: `plans:write`. */
export const rightName = ({ scope, level }: KeyRight): string => `${scope}:${level}`;
