import * as z from "zod/mini";
import { mapOf } from "../primitives.ts";
import type { EVENT_CATALOG } from "./catalog.ts";

/** A type of event that this version knows. Later releases add more. */
export type EventType = keyof typeof EVENT_CATALOG;

const Hash = z.string().check(z.regex(/^0x[0-9a-f]{64}$/, "Expected 32 bytes in hex."));

/** An event as it is delivered, streamed and listed. */
export const AccountEvent = z.object({
  /** Identifies this event: keep it to ignore a repeat. */
  id: z.string(),
  /** Counts the account's events from 1 without a gap. */
  sequence: z.int(),
  type: z.string(),
  createdAt: z.string(),
  account: z.string(),
  /** Flat. Amounts are decimal strings. */
  data: mapOf(z.union([z.string(), z.number(), z.boolean()])),
  previousHash: Hash,
  /** SHA-256 of the bytes of `previousHash`, then of the RFC 8785 JSON of account, createdAt, data, sequence and type. */
  hash: Hash,
});
/** An event of a type this version may not know: compare `type` before reading `data`. */
export type AccountEvent = z.output<typeof AccountEvent>;

/** An event of one known type, its `data` typed. */
export type EventOf<Type extends EventType> = Omit<AccountEvent, "type" | "data"> & {
  type: Type;
  data: z.output<(typeof EVENT_CATALOG)[Type]["data"]>;
};
