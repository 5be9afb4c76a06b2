/** What a plan sells, as far as the ledger can tell. */
export type Terms = {
  granted: bigint;
  least: bigint;
  most: bigint;
  isFixed: boolean;
  /** Access for a time instead of credits. */
  isTime: boolean;
  /** After an order; 0 never ends. */
  durationSecs: number;
};

/** How the payments of a round end. */
export type Ending = "pay" | "refuse" | "lose the answer" | "lose the request";

/** What is the matter with one replica in one round: a statement is lost before it runs, or its reply afterwards. */
export type Fault = {
  replica: number;
  statement: "hold_set" | "settle_requests" | "resolve_holds" | "renew_holds";
  when: "before" | "after";
};

/** What surrounds an operation of the model: the round's time, the ending of payments, and its replica's fault. */
export type Round = { now: number; ending: Ending; fault: Fault | null };

type Delegation = {
  limit: number;
  maxTransactions: number | null;
  open: number;
  spent: number;
  isRevoked: boolean;
  expiresAt: number;
  /** Its budget of credits for a UTC day, and what each day was used for. */
  perDay: bigint | null;
  used: Map<number, bigint>;
};
export type ModelToken = {
  index: number;
  delegation: Delegation;
  limit: number;
  redeemed: number;
  reserved: number;
  /** In orders, because an order costs one unit. */
  orderLimit: number;
  ordersOpen: number;
  ordersPaid: number;
  isRevoked: boolean;
  expiresAt: number;
  /** The longest lease of it; 0 for none. */
  leaseSecs: number;
};
export type Hold = {
  state: "held" | "posted" | "released" | "expired";
  amount: bigint;
  token: ModelToken;
  createdAt: number;
  expiresAt: number;
};
/** Credits of several requests at one price. */
export type Lease = Hold & { requests: number; price: bigint };
export type Order = {
  state: "charging" | "minted" | "declined";
  /** Whether the rail has the money, which the service may not know. */
  isPaid: boolean;
  token: ModelToken | null;
  dueAt: number;
  checks: number;
};
export type Request = {
  hold: Hold | null;
  settlement: { amount: bigint; remaining: bigint; body: string; lease?: Lease } | null;
  orders: Order[];
};

export const told = ({ amount, remaining }: NonNullable<Request["settlement"]>) =>
  `settled ${amount}, ${remaining} left`;

/** What the ledger should hold of a request, and of a token, as one line. */
export function requestText(id: string, { hold, settlement }: Partial<Request> = {}): string {
  const held = hold ? `${hold.state} ${hold.amount} ${hold.expiresAt}` : "no hold";
  const burned = settlement ? `${settlement.amount} ${settlement.remaining}` : "not settled";
  return `${id}: ${held}, ${burned}`;
}
export const tokenText = (token: ModelToken): string =>
  `token ${token.redeemed} ${token.reserved} ${token.ordersPaid} ${token.ordersOpen} ${token.isRevoked}`;

/** Whether a token has begun a request, of which its end then changes nothing. */
export const isBegun = ({ hold }: Request, token: ModelToken): boolean =>
  hold?.token === token && hold.state !== "released";

export const usable = ({ hold }: Request, token: ModelToken) =>
  hold?.state === "held" && hold.token === token ? hold : null;

/** Why a token that has to be alive is not. */
export function lifeFault(
  { isRevoked, delegation, expiresAt }: ModelToken,
  now: number,
): string | null {
  if (isRevoked) return "no:token_revoked";
  if (delegation.isRevoked) return "no:delegation_revoked";
  if (expiresAt <= now) return "no:token_expired";
  return delegation.expiresAt <= now ? "no:delegation_expired" : null;
}

/** Runs a write, unless its replica loses it. */
export function write(
  statement: Fault["statement"],
  { fault }: Round,
  apply: () => string,
): string {
  if (fault?.statement !== statement) return apply();
  if (fault.when === "after") apply();
  return "lost";
}

const DAY_SECS = 86_400;

/** Counts credits against the budget of the day they were reserved on; negative ones were given back. */
export function count({ delegation: { used } }: ModelToken, at: number, credits: bigint): void {
  const day = Math.floor(at / DAY_SECS);
  used.set(day, (used.get(day) ?? 0n) + credits);
}

/** What the day's budget has left; null without one. */
export const budgetLeft = ({ delegation }: ModelToken, now: number): bigint | null =>
  delegation.perDay === null
    ? null
    : delegation.perDay - (delegation.used.get(Math.floor(now / DAY_SECS)) ?? 0n);

/** Whether the day's budget has too little left. */
export const isBeyond = (token: ModelToken, now: number, credits: bigint): boolean => {
  const left = budgetLeft(token, now);
  return left !== null && credits > left;
};

export type Balance = { available: bigint; held: bigint; expiresAt: number | null };

/** The limits of a token and of its delegation; times are in seconds. */
export type TokenLimits = {
  orders: number;
  maxTransactions: number | null;
  /** The token's own limit, or null for what its delegation leaves. */
  tokenOrders: number | null;
  redemptions: number;
  expiresAt: number;
  delegationExpiresAt: number;
  perDay: bigint | null;
  leaseSecs: number;
};

export function createToken(
  index: number,
  under: Delegation | null,
  {
    orders,
    maxTransactions,
    tokenOrders,
    redemptions,
    expiresAt,
    delegationExpiresAt,
    perDay,
    leaseSecs,
  }: TokenLimits,
): ModelToken {
  const delegation = under ?? {
    limit: orders,
    maxTransactions,
    open: 0,
    spent: 0,
    isRevoked: false,
    expiresAt: delegationExpiresAt,
    perDay,
    used: new Map(),
  };
  return {
    index,
    delegation,
    limit: redemptions,
    redeemed: 0,
    reserved: 0,
    orderLimit: Math.min(
      delegation.limit - delegation.open - delegation.spent,
      tokenOrders ?? Number.POSITIVE_INFINITY,
    ),
    ordersOpen: 0,
    ordersPaid: 0,
    isRevoked: false,
    expiresAt: Math.min(expiresAt, delegation.expiresAt),
    leaseSecs,
  };
}

/** What a request takes, or null when the amount asked for is not one the plan allows. */
export function amountOf(terms: Terms, hold: Hold | null, max: bigint | undefined): bigint | null {
  const { isTime, isFixed, least, most } = terms;
  if (isTime) return 0n;
  const price = hold?.amount ?? least;
  if (isFixed) return max === undefined || max >= price ? price : null;
  const amount = max ?? least;
  if (amount < least || amount > most) return null;
  return hold && amount > hold.amount ? null : amount;
}

/** A balance after an order: time is added to time, and credits to those that are not over. */
export function afterGrant(terms: Terms, balance: Balance | null, now: number): Balance {
  const { isTime, granted, durationSecs } = terms;
  const before = balance ?? { available: 0n, held: 0n, expiresAt: null };
  const isOver = before.expiresAt !== null && before.expiresAt <= now;
  const from = isTime && before.expiresAt !== null && !isOver ? before.expiresAt : now;
  const left = isTime || isOver ? 0n : before.available;
  const expiresAt = durationSecs === 0 ? null : from + durationSecs;
  return { available: left + granted, held: before.held, expiresAt };
}
