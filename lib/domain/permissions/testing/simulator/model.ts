import { LEASE_CAP_SECS, LEASE_SECS } from "../../lease.ts";
import {
  afterGrant,
  amountOf,
  type Balance,
  count,
  createToken,
  type Hold,
  isBegun,
  isBeyond,
  type Lease,
  lifeFault,
  type ModelToken,
  type Order,
  type Request,
  type Round,
  requestText,
  type Terms,
  type TokenLimits,
  tokenText,
  told,
  usable,
  write,
} from "./model-records.ts";

const MOST_ORDERS = 6;
const FIRST_WAIT_SECS = 30;
const LONGEST_WAIT_SECS = 300;

/** A subscriber's credits of one plan, as the documents describe them: no batches, caches or retries. Every answer is a text. */
export class Model {
  readonly tokens: ModelToken[] = [];
  protected balance: Balance | null = null;
  protected readonly requests = new Map<string, Request>();
  private readonly ordered = new Map<string, Order>();
  protected readonly openHolds = new Set<Hold>();
  protected readonly leases = new Map<string, Lease>();
  private readonly openOrders = new Set<Order>();
  private paid = 0;

  constructor(protected readonly terms: Terms) {}

  check(token: ModelToken, max: bigint | undefined, { now }: Round): string {
    const amount = lifeFault(token, now) ?? this.price(null, max);
    if (typeof amount === "string") return amount;
    const found = this.funds(token, amount, now);
    if (found === "enough") return this.allowed(amount, now);
    return found === "order" ? `${this.allowed(amount, now)} after an order` : found;
  }

  reserve(id: string, token: ModelToken, max: bigint | undefined, round: Round): string {
    const { now } = round;
    const request = this.requestOf(id);
    const own = usable(request, token);
    if (!own && isBegun(request, token)) return "idempotency_conflict";
    const amount = (own ? null : lifeFault(token, now)) ?? this.price(own, max);
    if (typeof amount === "string") return amount;
    const { hold, settlement } = request;
    if (settlement) return "idempotency_conflict";
    if (hold && !(hold.state === "released" && hold.token === token)) {
      if (own?.amount !== amount) return "idempotency_conflict";
      return `${this.allowed(amount, now)} until ${hold.expiresAt}`;
    }
    const missing = this.fund(request, token, amount, round);
    if (missing) return missing;
    const answer = `${this.allowed(amount, now)} until ${now + LEASE_SECS}`;
    return write("hold_set", round, () => {
      if (this.isCrowded(amount)) return "waits";
      this.shift(-amount, amount);
      count(token, now, amount);
      token.reserved += 1;
      const expiresAt = now + LEASE_SECS;
      request.hold = { state: "held", amount, token, createdAt: now, expiresAt };
      this.openHolds.add(request.hold);
      return answer;
    });
  }

  settle(id: string, token: ModelToken, max: bigint | undefined, round: Round): string {
    const request = this.requestOf(id);
    const body = `${token.index}/${max}`;
    if (request.settlement) {
      return request.settlement.body === body ? told(request.settlement) : "idempotency_conflict";
    }
    if (request.hold?.state === "released") return "conflict";
    const hold = usable(request, token);
    const amount = (hold ? null : lifeFault(token, round.now)) ?? this.price(hold, max);
    if (typeof amount === "string") return amount;
    if (!hold && request.hold?.state === "held") return "idempotency_conflict";
    const missing = hold ? null : this.fund(request, token, amount, round);
    if (missing) return missing;
    return write("settle_requests", round, () => {
      if (hold) {
        this.shift(hold.amount, -hold.amount);
        this.end(hold, "posted");
        count(token, hold.createdAt, amount - hold.amount);
      } else count(token, round.now, amount);
      this.shift(-amount, 0n);
      token.redeemed += 1;
      request.settlement = { amount, remaining: this.posted(), body };
      return told(request.settlement);
    });
  }

  release(id: string, round: Round): string {
    return write("resolve_holds", round, () => {
      const request = this.requests.get(id);
      const hold = request?.hold ?? this.leases.get(id);
      if (!hold) return "not_found";
      if (hold.state === "expired" && !request?.settlement) hold.state = "released";
      if (hold.state !== "held") return "released 0";
      this.giveBack(hold, "released");
      return `released ${hold.amount}`;
    });
  }

  renew(ids: readonly string[], round: Round): string {
    const states = ids.map((id) => () => {
      const hold = this.requests.get(id)?.hold;
      if (hold?.state !== "held") return hold?.state ?? "unknown";
      const renewed = Math.min(hold.createdAt + LEASE_CAP_SECS, round.now + LEASE_SECS);
      hold.expiresAt = Math.max(hold.expiresAt, renewed);
      return `held until ${hold.expiresAt}`;
    });
    return write("renew_holds", round, () => states.map((renew) => renew()).join(", "));
  }

  /** An order of the subscriber's own, under its idempotency key. */
  order(key: string, round: Round): string {
    const order = this.ordered.get(key) ?? this.begin(null, round);
    this.ordered.set(key, order);
    if (order.state === "declined") return "payment_refused";
    return order.state === "minted" ? `minted, ${this.left(round.now)} left` : order.state;
  }

  /** Adds a token: under a new delegation, or under another token's. */
  mint(under: ModelToken | null, limits: TokenLimits): ModelToken {
    const token = createToken(this.tokens.length, under?.delegation ?? null, limits);
    this.tokens.push(token);
    return token;
  }

  revoke(token: ModelToken, isDelegation: boolean): void {
    for (const other of this.tokens) {
      const isUnder = isDelegation && other.delegation === token.delegation;
      if (other === token || isUnder) other.isRevoked = true;
    }
    if (isDelegation) token.delegation.isRevoked = true;
  }

  /** What background work does: overdue orders are charged again. */
  resolveOrders(round: Round): void {
    for (const order of this.openOrders) {
      if (order.dueAt > round.now) continue;
      order.checks += 1;
      this.charge(order, round);
      const wait = Math.min(LONGEST_WAIT_SECS, FIRST_WAIT_SECS * 2 ** Math.min(order.checks, 10));
      order.dueAt = round.now + wait;
    }
  }

  /** What background work does: overdue holds and balances expire. */
  sweep(now: number): void {
    for (const hold of this.openHolds) {
      if (hold.expiresAt <= now) this.giveBack(hold, "expired");
    }
    if (this.balance && !this.isLive(now)) this.balance.available = 0n;
  }

  /** What the ledger should hold of this subscriber, and of these requests, line by line. */
  state(ids: Iterable<string>): string[] {
    const { balance } = this;
    const rest = balance ? `${balance.available} ${balance.held} ${balance.expiresAt}` : "none";
    const requests = Array.from(ids, (id) => requestText(id, this.requests.get(id)));
    const own = [`balance ${rest}`, `paid ${this.paid}`, ...this.tokens.map(tokenText)];
    return own.concat(requests.sort());
  }

  protected requestOf(id: string): Request {
    const known = this.requests.get(id) ?? { hold: null, settlement: null, orders: [] };
    this.requests.set(id, known);
    return known;
  }

  /** What a request takes, where its amount is one that the plan allows. */
  private price(hold: Hold | null, max: bigint | undefined) {
    return amountOf(this.terms, hold, max) ?? "invalid_amount";
  }

  protected funds(token: ModelToken, amount: bigint, now: number): string {
    if (token.limit - token.redeemed - token.reserved <= 0) return "no:redemption_limit";
    const needed = this.terms.isTime ? 1n : amount;
    const isWithin = !isBeyond(token, now, amount);
    if (this.balance && this.isLive(now) && this.balance.available >= needed)
      return isWithin ? "enough" : "no:budget_per_day";
    if (this.isToppedUp()) return isWithin ? "order" : "no:budget_per_day";
    if (token.orderLimit === 0) return "no:order_limit";
    const { limit, maxTransactions, open, spent } = token.delegation;
    if (limit - open - spent < 1) return "no:spending_limit";
    if (open + spent >= (maxTransactions ?? Infinity)) return "no:max_transactions";
    if (token.orderLimit - token.ordersOpen - token.ordersPaid < 1) return "no:order_limit";
    return isWithin ? "order" : "no:budget_per_day";
  }

  /** Sees to it that there are enough credits, by an order if it takes one; null when there are. */
  private fund(request: Request, token: ModelToken, amount: bigint, round: Round): string | null {
    const found = this.funds(token, amount, round.now);
    if (found !== "order") return found === "enough" ? null : found;
    for (const { state } of request.orders) {
      if (state === "charging") return "waits";
      if (state === "declined") return "no:declined";
    }
    if (request.orders.length >= MOST_ORDERS) return "no:too_many_orders";
    if (this.isToppedUp()) return "waits";
    const order = this.begin(token, round);
    request.orders.push(order);
    if (order.state === "declined") return "no:declined";
    return order.state === "charging" ? "outcome_unknown" : null;
  }

  private begin(token: ModelToken | null, round: Round): Order {
    const dueAt = round.now + FIRST_WAIT_SECS;
    const order: Order = { state: "charging", isPaid: false, token, dueAt, checks: 0 };
    this.openOrders.add(order);
    if (token) {
      token.ordersOpen += 1;
      token.delegation.open += 1;
    }
    this.charge(order, round);
    return order;
  }

  /** Charges an order: it is paid at most once, however often it is charged. */
  private charge(order: Order, { ending, now }: Round): void {
    if (!order.isPaid && ending === "refuse") this.close(order, "declined");
    if (!order.isPaid && (ending === "refuse" || ending === "lose the request")) return;
    this.paid += order.isPaid ? 0 : 1;
    order.isPaid = true;
    if (ending !== "lose the answer") this.grant(order, now);
  }

  private close(order: Order, state: "minted" | "declined"): void {
    order.state = state;
    this.openOrders.delete(order);
    const { token } = order;
    if (!token) return;
    const spent = state === "minted" ? 1 : 0;
    token.ordersOpen -= 1;
    token.ordersPaid += spent;
    token.delegation.open -= 1;
    token.delegation.spent += spent;
  }

  private grant(order: Order, now: number): void {
    this.close(order, "minted");
    this.balance = afterGrant(this.terms, this.balance, now);
  }

  /** Until its first settlement a builder may reserve a quarter of the credits, or four requests. */
  protected isCrowded(amount: bigint, price = amount): boolean {
    if (this.tokens.some(({ redeemed }) => redeemed > 0)) return false;
    const held = (this.balance?.held ?? 0n) + amount;
    return 4n * held > this.posted() && held > 4n * price;
  }

  private giveBack(hold: Hold, state: "released" | "expired"): void {
    this.shift(hold.amount, -hold.amount);
    count(hold.token, hold.createdAt, -hold.amount);
    this.end(hold, state);
  }

  private end(hold: Hold, state: Hold["state"]): void {
    hold.state = state;
    hold.token.reserved -= "requests" in hold ? (hold as Lease).requests : 1;
    this.openHolds.delete(hold);
  }

  protected shift(available: bigint, held: bigint): void {
    if (!this.balance) throw new Error("Credits moved without a balance.");
    this.balance.available += available;
    this.balance.held += held;
  }

  private isLive(now: number): boolean {
    const { expiresAt } = this.balance ?? { expiresAt: 0 };
    return expiresAt === null || expiresAt > now;
  }

  private isToppedUp = () => [...this.openOrders].some(({ token }) => token !== null);
  protected posted = () => (this.balance ? this.balance.available + this.balance.held : 0n);

  private allowed(amount: bigint, now: number): string {
    return `ok ${amount} of ${this.left(now)}`;
  }

  private left(now: number): bigint {
    const live = this.isLive(now) ? (this.balance?.available ?? 0n) : 0n;
    return live + (this.balance?.held ?? 0n);
  }
}
