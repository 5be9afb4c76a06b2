import "server-only";
import { type ErrorCode, PaymentsError } from "@turnpike/payments/protocol";
import { LRUCache } from "lru-cache";
import type { Caller, Context } from "@/lib/domain/context.ts";
import type { Ports } from "@/lib/domain/ports.ts";
import { atMost } from "./at-most.ts";
import { findCaller, KeyEnded } from "./authenticate.ts";
import type { RateLimits } from "./rate-limits.ts";
import type { Work } from "./served-operations.ts";

/** Who calls: an API key by its hash, someone signed in, or no one. */
export type Credentials = { keyHash: string } | { session: Caller } | null;
export type CallLimits = Omit<RateLimits, "signIn" | "pages">;
export type Admitted = Pick<Context, "caller" | "keyHash"> & {
  /** Counts a public read that is not in memory; throws `rate_limited`. */
  countMiss: () => Promise<void>;
};
type Asking = {
  row: Pick<Work, "access" | "callerReadBy" | "lane" | "ownerSeesMore" | "visitorPoints">;
  credentials: Credentials;
  /** The client's address; without it the request was counted before, as a page. */
  address: string | undefined;
};

const MAX_KEYS = 10_000;
/** How long calls count for the account of a key before the key is read again. */
const ACCOUNT_MS = 60_000;
/** A public read that reaches the database counts as this many that do not. */
const MISS_COST = 10;

export function createAdmission(ports: Ports, limits: CallLimits | undefined) {
  // The account of a key never changes, but the key can be revoked or expire.
  const accounts = new LRUCache<string, string>({ ...atMost(MAX_KEYS), ttl: ACCOUNT_MS });
  // Keys that were valid, or of a stopped account, when they were last read: reading them again is no guess.
  const known = new LRUCache<string, true>(atMost(MAX_KEYS));
  const noteKeyUse = createKeyUse(ports);

  async function readKey(keyHash: string, address: string | undefined) {
    if (limits && address !== undefined && !known.has(keyHash)) await limits.unknownKeys(address);
    try {
      const caller = await findCaller(ports, keyHash);
      accounts.set(keyHash, caller.account);
      known.set(keyHash, true);
      return caller;
    } catch (cause) {
      noteFailure({ keyHash }, cause);
      if (isRefused(cause, "forbidden")) known.set(keyHash, true);
      throw cause;
    }
  }

  /** Forgets a key that was refused as `unauthorized`: its next call no longer counts for the account. */
  function noteFailure(credentials: Credentials, cause: unknown) {
    if (!credentials || !("keyHash" in credentials) || !isRefused(cause, "unauthorized")) return;
    accounts.delete(credentials.keyHash);
    known.delete(credentials.keyHash);
  }

  const findAccount = async (keyHash: string, address: string | undefined) =>
    accounts.get(keyHash) ?? (await readKey(keyHash, address)).account;

  async function admitPublic(keyHash: string | null, { row, address }: Asking): Promise<Admitted> {
    if (row.lane === "outbound") {
      await limits?.visitors(address ?? "unknown", row.visitorPoints);
      return { caller: null, keyHash, countMiss: free };
    }
    const orNull = nullIf("unauthorized", "forbidden");
    const caller =
      row.ownerSeesMore && keyHash ? await readKey(keyHash, address).catch(orNull) : null;
    const account = row.ownerSeesMore
      ? caller?.account
      : keyHash && (await findAccount(keyHash, address).catch(orNull));
    if (account) await count({ row, account, address });
    else if (address !== undefined) await limits?.publicCalls(address);
    const countMiss = async () => {
      if (!account && address !== undefined) await limits?.publicCalls(address, MISS_COST - 1);
    };
    return { caller, keyHash, countMiss };
  }

  async function count(of: Pick<Asking, "row" | "address"> & { account: string; by?: "session" }) {
    if (!limits) return;
    const { row, account, address, by } = of;
    if (row.lane === "outbound") {
      await limits.outbound(account);
      if (address !== undefined) await limits.outboundFrom(address);
      return;
    }
    await (by === "session" ? limits.session : limits)[row.lane](account);
    if (address !== undefined) await limits.address[row.lane](address);
  }

  /**
   * Decides who calls and counts the call, before anything else of it is read. A key counts for its account, so that
   * more keys do not mean more calls; who has no valid key counts by address. Throws `unauthorized` and `rate_limited`.
   */
  async function admit(asking: Asking): Promise<Admitted> {
    const { row, credentials, address } = asking;
    if (credentials && "session" in credentials) {
      const { session: caller } = credentials;
      await count({ row, address, account: caller.account, by: "session" });
      return { caller, keyHash: null, countMiss: free };
    }
    const keyHash = credentials?.keyHash ?? null;
    if (row.access === "public") return admitPublic(keyHash, asking);
    if (keyHash === null) {
      if (address !== undefined) await limits?.publicCalls(address);
      return { caller: await findCaller(ports, null), keyHash, countMiss: free };
    }
    const isReadByVerb = row.callerReadBy === "verb";
    const caller = isReadByVerb ? null : await readKey(keyHash, address);
    // The verb says what a stopped account or a key that has ended is still answered, and their calls count by address.
    const orNull = (cause: unknown) => {
      if (cause instanceof KeyEnded) return null;
      return nullIf("forbidden")(cause);
    };
    const account = caller?.account ?? (await findAccount(keyHash, address).catch(orNull));
    if (account) {
      noteKeyUse(keyHash);
      await count({ row, account, address });
    } else if (address !== undefined) await limits?.publicCalls(address);
    return { caller, keyHash, countMiss: free };
  }

  return { admit, noteFailure };
}

const free = async () => {};

const isRefused = (cause: unknown, ...codes: ErrorCode[]): boolean =>
  PaymentsError.is(cause) && codes.includes(cause.code);

const nullIf =
  (...codes: ErrorCode[]) =>
  (cause: unknown): null => {
    if (isRefused(cause, ...codes)) return null;
    throw cause;
  };

const NOTE_EVERY_MS = 60_000;

/** Notes when a key was last used, at most once a minute per key, and never in the way of the request. */
function createKeyUse({ apiKeys, log }: Ports): (keyHash: string) => void {
  const noted = new LRUCache<string, true>({ ...atMost(MAX_KEYS), ttl: NOTE_EVERY_MS });
  return (keyHash) => {
    if (noted.has(keyHash)) return;
    noted.set(keyHash, true);
    apiKeys.markUsed(keyHash).catch((cause) => {
      log.warn({ cause: String(cause) }, "could not note the use of an API key");
    });
  };
}
