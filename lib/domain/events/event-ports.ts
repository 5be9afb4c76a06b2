import type { PageQuery } from "@turnpike/payments/protocol";
import type { AuditNote, Page } from "../records.ts";

/** An event as numbered and chained. Hashes are hex with `0x`. */
export type EventRecord = {
  account: string;
  sequence: number;
  /** Its place among all accounts' events. */
  position: number;
  type: string;
  createdAt: Date;
  /** Canonical JSON, as it was hashed. */
  data: string;
  previousHash: string;
  hash: string;
};

/** A place in an account's chain: the number and hash of one event. */
export type ChainPlace = Pick<EventRecord, "sequence" | "hash">;

export interface Events {
  /** Numbers and chains what transactions have queued, one replica at a time; how many rows of the queue that were. */
  sequence(): Promise<number>;
  /** An account's events after a number, the oldest first. */
  list(account: string, after: number, limit: number): Promise<EventRecord[]>;
  find(account: string, sequence: number): Promise<EventRecord | null>;
  /** The last event that was deleted with age, from which the oldest that is kept follows; null while all are kept. */
  cut(account: string): Promise<ChainPlace | null>;
  /** The number of an account's last event; 0 without one. */
  head(account: string): Promise<number>;
  /** Events of some accounts after one position, up to another; those of each account in their order. */
  between(
    range: { from: number; upTo: number; limit: number },
    accounts: readonly string[],
  ): Promise<EventRecord[]>;
  /** The last position that was given. */
  lastPosition(): Promise<number>;
  /** Queues an event about something that no row of the database tells of. */
  queue(event: {
    account: string;
    type: string;
    subject: string;
    data: Record<string, string>;
  }): Promise<void>;
}

/** One try to deliver. Without `status` no response came. */
export type DeliveryTry = {
  at: string;
  ms: number;
  status?: number;
  error?: string;
  /** The start of the response's body. */
  answer?: string;
  /** What was sent in addition to the body. */
  headers: Record<string, string>;
};

export type EndpointRecord = {
  endpointId: string;
  account: string;
  url: string;
  events: string[];
  state: "active" | "disabled";
  disabledReason: string | null;
  disabledAt: Date | null;
  disabledSequence: number | null;
  /** Sealed for the row of the endpoint. */
  secret: string;
  secretHint: string;
  secretAt: Date;
  previousSecret: string | null;
  previousHint: string | null;
  previousUntil: Date | null;
  /** Those that were rotated out before, while they sign; the newest first. */
  olderSecrets: { secret: string; hint: string; until: Date }[];
  createdAt: Date;
};

/** What a change of an endpoint writes. */
export type EndpointChanges = Partial<Omit<EndpointRecord, "olderSecrets">>;

export type DeliveryRecord = {
  endpointId: string;
  account: string;
  sequence: number;
  type: string;
  subject: string;
  state: "waiting" | "delivered" | "failed";
  /** Tries that ended. */
  attempts: number;
  dueAt: Date;
  fence: number;
  tries: DeliveryTry[];
  createdAt: Date;
  deliveredAt: Date | null;
};

/** A delivery, and the sequence of the oldest of its subject that waits before it. */
export type ListedDelivery = DeliveryRecord & { waitsFor: number | null };

/** A delivery to send now, with its endpoint, and its event unless that was deleted with age. */
export type DueDelivery = DeliveryRecord & { event: EventRecord | null; endpoint: EndpointRecord };

export type EndpointCounts = {
  delivered: number;
  waiting: number;
  failed: number;
  medianMs: number | null;
};

export interface Webhooks {
  /** Adds an endpoint; false when the account has `most` already. */
  insert(endpoint: EndpointRecord, most: number, audit: AuditNote): Promise<boolean>;
  find(account: string, endpointId: string): Promise<EndpointRecord | null>;
  list(account: string): Promise<EndpointRecord[]>;
  /** Writes what is given, so that changes of different fields at once all remain. */
  update(endpointId: string, changes: EndpointChanges, audit: AuditNote): Promise<void>;
  /**
   * Writes a new secret, and keeps the previous one that was read as an older one; with no previous one in the changes, all
   * older ones end. False when the endpoint no longer has the secrets that were read.
   */
  rotate(read: EndpointRecord, changes: EndpointChanges, audit: AuditNote): Promise<boolean>;
  delete(endpointId: string, audit: AuditNote): Promise<void>;
  /** Queues a test event for the endpoint. */
  queueTest(endpoint: EndpointRecord, audit: AuditNote): Promise<void>;
  /** What was delivered in the last seven days, and all that waits or failed. */
  counts(endpointId: string): Promise<EndpointCounts>;
  listDeliveries(
    endpointId: string,
    query: PageQuery & { status?: DeliveryRecord["state"] | undefined; type?: string | undefined },
  ): Promise<Page<ListedDelivery>>;
  /** Sends the events of a range once more, or for the first time; how many. `isForced` ignores the endpoint's filter. */
  replay(
    endpoint: EndpointRecord,
    range: { from: number; to: number; isForced: boolean },
  ): Promise<number>;
  /**
   * Leases deliveries that are due, at most as many of each endpoint, of each account and in all as `most` less those under way
   * by `busy`, and of one subject only the oldest. Accounts with the fewest under way come first, and so do their endpoints.
   */
  lease(options: {
    /** Deliveries under way, by endpoint. */
    busy: ReadonlyMap<string, { account: string; n: number }>;
    most: { endpoint: number; account: number; all: number };
    leaseSecs: number;
    /** Decides between accounts that have as many under way: another one each time favors none. */
    draw: string;
  }): Promise<DueDelivery[]>;
  /**
   * Ends a try; false when the lease was lost. `retrySecs` null gives the delivery up, `disables` says why the endpoint is
   * stopped with it, which the account gets as an event.
   */
  finish(
    due: Pick<DueDelivery, "endpointId" | "sequence" | "fence">,
    end:
      | { delivered: true; last: DeliveryTry }
      | { delivered: false; last: DeliveryTry; retrySecs: number | null; disables: string | null },
  ): Promise<boolean>;
}
