import { LEASE_SECS } from "../../lease.ts";
import { Model } from "./model.ts";
import {
  amountOf,
  budgetLeft,
  count,
  type Lease,
  lifeFault,
  type ModelToken,
  type Round,
  told,
  write,
} from "./model-records.ts";

/** The model with leases and batches of requests. */
export class LeasingModel extends Model {
  /** Lends what is left of credits and redemptions, a quarter at most, and orders nothing. */
  lend(id: string, token: ModelToken, asked: { requests: number; seconds: number }, round: Round) {
    const { now } = round;
    const none = lifeFault(token, now) !== null || token.leaseSecs === 0;
    const price = amountOf(this.terms, null, undefined) ?? 0n;
    if (none || this.funds(token, price, now) !== "enough") return "lent 0";
    const redemptions = Math.floor((token.limit - token.redeemed - token.reserved) / 4);
    const ends = Math.min(token.expiresAt, token.delegation.expiresAt);
    const seconds = Math.min(asked.seconds, token.leaseSecs, ends - now);
    const room = [(this.balance?.available ?? 0n) / 4n, budgetLeft(token, now)];
    const funded = room.flatMap((left) =>
      price === 0n || left === null ? [] : [Number(left / price)],
    );
    const requests = Math.min(asked.requests, redemptions, ...funded);
    if (requests < 1 || seconds < 1) return "lent 0";
    const amount = price * BigInt(requests);
    return write("hold_set", round, () => {
      if (this.isCrowded(amount, price)) return "lent 0";
      this.shift(-amount, amount);
      count(token, now, amount);
      token.reserved += requests;
      const expiresAt = now + seconds + LEASE_SECS;
      const lease: Lease = {
        state: "held",
        amount,
        token,
        createdAt: now,
        expiresAt,
        requests,
        price,
      };
      this.leases.set(id, lease);
      this.openHolds.add(lease);
      return `lent ${requests} for ${seconds}`;
    });
  }

  /** A batch whose every item takes one request of a lease, in order. */
  settleLeased(leaseId: string, ids: readonly string[], round: Round): string {
    const lease = this.leases.get(leaseId);
    if (!lease) return ids.map(() => "conflict").join(", ");
    return write("settle_requests", round, () =>
      ids
        .map((id) => {
          const request = this.requestOf(id);
          const { settlement } = request;
          if (settlement)
            return settlement.lease === lease ? told(settlement) : "idempotency_conflict";
          if (lease.state !== "held") return "conflict";
          this.shift(0n, -lease.price);
          lease.amount -= lease.price;
          lease.requests -= 1;
          lease.token.reserved -= 1;
          lease.token.redeemed += 1;
          if (lease.requests === 0) {
            lease.state = "posted";
            this.openHolds.delete(lease);
          }
          const body = leaseId;
          request.settlement = { amount: lease.price, remaining: this.posted(), body, lease };
          return told(request.settlement);
        })
        .join(", "),
    );
  }
}
