import { letGo } from "../../client/waiting/let-go.ts";
import { toJson } from "../../protocol/json.ts";
import type { Verification } from "../../protocol/permission.ts";
import type { GateOptions } from "../gate-options.ts";
import type { GateService } from "../service.ts";

/** A call as verify is asked about it. */
export type Question = Parameters<GateService["verify"]>[0];

/** Credits of one token that this gate may use for calls of one requirement. */
export type Lease = {
  leaseId: string;
  slot: Slot;
  verification: Verification & { isValid: true };
  /** Credits of one call. */
  price: bigint;
  size: number;
  /** Calls that it still pays for. */
  left: number;
  /** How long it lasts, and until when by this process's steady clock. */
  lifeMs: number;
  endsAt: number;
  /** Calls that it was taken for and that are not closed yet. */
  open: number;
  /** Whether one of them was left to the queue, which may settle it later. */
  isInQueue: boolean;
};

/** A token that verify has allowed, and its leases, the oldest first. */
type Holding = { slots: Map<string, Slot>; leases: Lease[]; isAsking: boolean };
/** A requirement that verify has allowed it. */
type Slot = { holding: Holding; askAt: number; keptUntil: number };

/** How long a token that nothing was lent for, or whose lease was ended, is not asked about again. */
const QUIET_MS = 30_000;
const SWEEP_MS = 1000;
/** Of one token, so that a caller with many URLs leaves room for others. */
const MAX_SLOTS = 100;
/** Of all tokens and requirements together, because callers choose how long they are. */
const MAX_CHARS = 32 * 1024 * 1024;
const MAX_REQUESTS = 10_000n;

/**
 * Finds, asks for and ends leases. Only what verify has allowed is asked about, at the next call of the same token and
 * requirement, and again when half of a lease is used, so that no call waits for the answer. Together the leases of a token
 * leave no more than `credits` unused. `begin` and `end` are called with each lease.
 */
export function createLeaseBook(
  { facilitator }: Pick<GateService, "facilitator">,
  { credits, seconds }: NonNullable<GateOptions["lease"]>,
  { begin, end }: { begin: (lease: Lease) => void; end: (lease: Lease) => void },
) {
  const askFor = createAsking(facilitator, seconds);
  const most = BigInt(credits);
  const keepMs = seconds * 1000;
  const { find, note } = createHoldings(keepMs, endOver);

  function endOver(holding: Holding): void {
    const now = performance.now();
    holding.leases = holding.leases.filter((lease) => {
      const isOver = lease.open === 0 && (lease.left === 0 || now >= lease.endsAt);
      if (isOver) end(lease);
      return !isOver;
    });
  }

  async function ask(slot: Slot, question: Question): Promise<void> {
    const { holding } = slot;
    endOver(holding);
    const unused = holding.leases.reduce((sum, { left, price }) => sum + BigInt(left) * price, 0n);
    const room = most - unused;
    // A smaller lease would be used up soon, and the next one asked for.
    if (room * 2n < most) return;
    holding.isAsking = true;
    // Verify says what is wrong; a lease is never needed.
    const lease = await askFor(question, slot, room).catch(() => null);
    if (lease) {
      holding.leases.push(lease);
      begin(lease);
    } else slot.askAt = performance.now() + QUIET_MS;
    holding.isAsking = false;
  }

  /** A lease for a call, one call less; null sends it to the service. */
  function take(question: Question): Lease | null {
    const slot = find(question);
    if (!slot) return null;
    const { holding } = slot;
    const now = performance.now();
    slot.keptUntil = Math.max(now + keepMs, slot.askAt);
    if (!holding.isAsking && now >= slot.askAt && !holding.leases.some(isFresh))
      void ask(slot, question);
    const lease = holding.leases.find(
      ({ slot: own, left, endsAt }) => own === slot && left > 0 && now < endsAt,
    );
    if (!lease) return null;
    lease.left -= 1;
    lease.open += 1;
    return lease;
  }

  return { take, note };
}

/**
 * Lends nothing more of a lease that the service has ended. Its token is verified for a while: of a service that ends each
 * lease, another would be asked for at once, and its first calls served for nothing.
 */
export function endLease(lease: Lease): void {
  lease.left = 0;
  lease.endsAt = 0;
  const askAt = performance.now() + QUIET_MS;
  for (const slot of lease.slot.holding.slots.values()) slot.askAt = askAt;
}

const isFresh = ({ left, size, endsAt, lifeMs }: Lease): boolean =>
  left * 2 > size && performance.now() < endsAt - lifeMs / 3;

/** What verify has allowed, for so long after its last call. `endOver` ends the leases of a token that are over. */
function createHoldings(keepMs: number, endOver: (holding: Holding) => void) {
  const holdings = new Map<string, Holding>();
  let chars = 0;
  let timer: ReturnType<typeof setInterval> | undefined;

  function sweep(): void {
    const now = performance.now();
    for (const [token, holding] of holdings) {
      endOver(holding);
      if (holding.isAsking) continue;
      for (const [requirement, { keptUntil }] of holding.slots) {
        if (now <= keptUntil) continue;
        holding.slots.delete(requirement);
        chars -= requirement.length;
      }
      if (holding.slots.size > 0 || holding.leases.length > 0) continue;
      holdings.delete(token);
      chars -= token.length;
    }
    if (holdings.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  return {
    find(question: Question): Slot | undefined {
      const holding = holdings.get(question.x402AccessToken);
      return holding?.slots.get(requirementOf(question));
    },

    /** Notes a call that verify has allowed, so that the next one may be leased. */
    note(question: Question): void {
      const { x402AccessToken: token } = question;
      const requirement = requirementOf(question);
      const known = holdings.get(token);
      const holding = known ?? { slots: new Map(), leases: [], isAsking: false };
      const added = requirement.length + (known ? 0 : token.length);
      const isFull = holding.slots.size >= MAX_SLOTS || chars + added > MAX_CHARS;
      if (isFull || holding.slots.has(requirement)) return;
      const now = performance.now();
      holding.slots.set(requirement, { holding, askAt: now, keptUntil: now + keepMs });
      holdings.set(token, holding);
      chars += added;
      if (timer) return;
      timer = setInterval(sweep, SWEEP_MS);
      letGo(timer);
    },
  };
}

/** The text of each requirement: many calls have the same one. */
const texts = new WeakMap<object, string>();

function requirementOf({ maxAmount, paymentRequired }: Question): string {
  const text = texts.get(paymentRequired) ?? toJson(paymentRequired);
  texts.set(paymentRequired, text);
  return `${maxAmount}\n${text}`;
}

/** Asks the service for a lease of at most so many credits; null when it lends nothing. */
const createAsking =
  (facilitator: GateService["facilitator"], seconds: number) =>
  async (question: Question, slot: Slot, most: bigint): Promise<Lease | null> => {
    const { paymentRequired, x402AccessToken, maxAmount } = question;
    const price = BigInt(maxAmount || 1) || 1n;
    const affordable = most / price;
    if (affordable < 1n) return null;
    const requests = Number(affordable > MAX_REQUESTS ? MAX_REQUESTS : affordable);
    const startedAt = performance.now();
    const asked = { paymentRequired, x402AccessToken, maxAmount };
    const lent = await facilitator.leasePermissions({ ...asked, requests, seconds });
    const { leaseId, verification } = lent;
    if (!leaseId || !verification?.isValid) return null;
    const lifeMs = lent.seconds * 1000;
    return {
      leaseId,
      slot,
      verification,
      price,
      size: lent.requests,
      left: lent.requests,
      lifeMs,
      endsAt: startedAt + lifeMs,
      open: 0,
      isInQueue: false,
    };
  };
