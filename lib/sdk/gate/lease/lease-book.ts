import { toJson } from "../../protocol/json.ts";
import type { Verification } from "../../protocol/permission.ts";
import type { GateOptions } from "../gate-options.ts";
import { letGo } from "../queue/retry.ts";
import type { GateService } from "../service.ts";
import { type HolderCheck, holderCheckOf, type Signatures } from "./holder-check.ts";

/** A call as verify is asked about it. */
export type Question = Parameters<GateService["verify"]>[0];

/** Credits of one token that this gate may use for calls of one requirement. */
export type Lease = {
  leaseId: string;
  verification: Verification & { isValid: true };
  size: number;
  /** Calls that it still pays for. */
  left: number;
  /** By this process's steady clock. */
  endsAt: number;
  isByHolder: HolderCheck;
  /** Calls that it was taken for and that are not closed yet. */
  open: number;
  /** Whether one of them was left to the queue, which may settle it later. */
  isInQueue: boolean;
};

/** The leases for one token and requirement, the oldest first. */
type Slot = { leases: Lease[]; isAsking: boolean; askAt: number; keptUntil: number };

/** How long a token that nothing was lent for is not asked about again. */
const QUIET_MS = 30_000;
const SWEEP_MS = 1000;
const MAX_SLOTS = 10_000;
const MAX_REQUESTS = 10_000n;

/**
 * Finds, asks for and ends leases. A token is asked about at its second call, and again when half of a lease is used, so
 * that no call waits for the answer. `begin` and `end` are called with each lease.
 */
export function createLeaseBook(
  { facilitator }: Pick<GateService, "facilitator">,
  { credits, seconds }: NonNullable<GateOptions["lease"]>,
  {
    begin,
    end,
    signatures,
  }: { begin: (lease: Lease) => void; end: (lease: Lease) => void; signatures: Signatures },
) {
  const slots = new Map<string, Slot>();
  const askFor = createAsking(facilitator, { credits, seconds }, signatures);
  const lifeMs = seconds * 1000;
  let timer: ReturnType<typeof setInterval> | undefined;

  const usable = ({ leases }: Slot) =>
    leases.find(({ left, endsAt }) => left > 0 && performance.now() < endsAt);

  const isLow = ({ leases }: Slot) =>
    !leases.some(
      ({ left, size, endsAt }) => left * 2 > size && performance.now() < endsAt - lifeMs / 3,
    );

  async function ask(slot: Slot, question: Question): Promise<void> {
    slot.isAsking = true;
    // Verify says what is wrong; a lease is never needed.
    const lease = await askFor(question).catch(() => null);
    if (lease) {
      slot.leases.push(lease);
      begin(lease);
    } else slot.askAt = performance.now() + QUIET_MS;
    slot.isAsking = false;
  }

  function sweep(): void {
    const now = performance.now();
    for (const [key, slot] of slots) {
      slot.leases = slot.leases.filter((lease) => {
        const isOver = lease.open === 0 && (lease.left === 0 || now >= lease.endsAt);
        if (isOver) end(lease);
        return !isOver;
      });
      if (slot.leases.length === 0 && !slot.isAsking && now > slot.keptUntil) slots.delete(key);
    }
    if (slots.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  /** A lease for a call, one call less; null sends it to the service. */
  return async function take(question: Question): Promise<Lease | null> {
    const { x402AccessToken, paymentRequired, maxAmount } = question;
    const key = `${x402AccessToken}\n${maxAmount}\n${toJson(paymentRequired)}`;
    const now = performance.now();
    const slot = slots.get(key);
    if (!slot) {
      if (slots.size < MAX_SLOTS)
        slots.set(key, { leases: [], isAsking: false, askAt: now, keptUntil: now + lifeMs });
      if (!timer) {
        timer = setInterval(sweep, SWEEP_MS);
        letGo(timer);
      }
      return null;
    }
    slot.keptUntil = Math.max(now + lifeMs, slot.askAt);
    if (!slot.isAsking && now >= slot.askAt && isLow(slot)) void ask(slot, question);
    const found = usable(slot);
    if (!found || !(await found.isByHolder(question))) return null;
    // While a signature was checked, others may have taken the last one.
    const lease = usable(slot);
    if (!lease) return null;
    lease.left -= 1;
    lease.open += 1;
    return lease;
  };
}

/** Asks the service for a lease; null when it lends nothing. */
const createAsking =
  (
    facilitator: GateService["facilitator"],
    { credits, seconds }: NonNullable<GateOptions["lease"]>,
    signatures: Signatures,
  ) =>
  async (question: Question): Promise<Lease | null> => {
    const { paymentRequired, x402AccessToken, maxAmount, proof } = question;
    const most = BigInt(Math.max(1, Math.floor(credits))) / BigInt(maxAmount || 1);
    const requests = Number(most < 1n ? 1n : most > MAX_REQUESTS ? MAX_REQUESTS : most);
    const startedAt = performance.now();
    const createdFrom = Math.ceil(Date.now() / 1000);
    const asked = { paymentRequired, x402AccessToken, maxAmount, ...(proof && { proof }) };
    const lent = await facilitator.leasePermissions({ ...asked, requests, seconds });
    const { leaseId, verification } = lent;
    if (!leaseId || !verification?.isValid) return null;
    return {
      leaseId,
      verification,
      size: lent.requests,
      left: lent.requests,
      endsAt: startedAt + lent.seconds * 1000,
      isByHolder: await holderCheckOf(lent.holder, createdFrom, signatures),
      open: 0,
      isInQueue: false,
    };
  };
