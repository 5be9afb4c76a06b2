import * as z from "zod";
import { checksumAddress, isAddress } from "./address.ts";
import { CANONICAL_DECIMAL, readUint256, wholeNumberFault } from "./uint256.ts";

/**
 * A whole amount. On the wire a decimal string (or a safe integer); inside, a `bigint`.
 * Refuses signs, exponents, hex, leading zeros, fractions and anything above 2^256 − 1.
 */
export const Uint256 = z
  .union([z.string(), z.number(), z.bigint()])
  .transform((value, context): bigint => {
    const amount = readUint256(value);
    if (amount !== null) return amount;
    context.addIssue({
      code: "custom",
      message: wholeNumberFault(value),
    });
    return z.NEVER;
  })
  .meta({ id: "Uint256", wire: "uint256" });

/** A whole amount that stays a decimal string, for fields the specification types as string (§2.6). */
export const Decimal = z
  .string()
  .regex(CANONICAL_DECIMAL, "Expected a whole number as a decimal string.");

/** A count or a duration that fits a JavaScript number; accepts its decimal string too. */
export const Count = z
  .union([z.number(), z.string().regex(/^\d{1,15}$/)])
  .transform(Number)
  .pipe(z.int().min(0).max(Number.MAX_SAFE_INTEGER))
  .meta({ wire: "count" });

/** A hex address of an EVM account, 20 bytes; mixed case must carry a right EIP-55 checksum. */
export const Address = z
  .string()
  .refine(isAddress, {
    error: (issue) => `${JSON.stringify(issue.input)} is not an EVM address.`,
  })
  .transform((value) => checksumAddress(value))
  .meta({ wire: "address" });
export type Address = z.output<typeof Address>;

/** A plan id: a uint256 as a decimal string, because it is the ERC-1155 id too. */
export const PlanId = z
  .union([Decimal, z.number().int().min(0).transform(String)])
  .pipe(z.string().refine((id) => readUint256(id) !== null, "Above 2^256-1."))
  .meta({ wire: "uint256" });

/** An agent id: opaque to callers; letters, digits and `:._-`. */
export const AgentId = z.string().regex(/^[A-Za-z0-9:._-]{1,128}$/, "Not an agent id.");

/** An id a caller or the service gives one paid request: 16 to 128 of `A-Za-z0-9_-`. */
export const AgentRequestId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{16,128}$/, "Expected 16 to 128 letters, digits, '_' or '-'.");

/** Text people wrote and others will read: trimmed, NFC, no control or bidirectional-override characters. */
export const plainText = (maxLength: number) =>
  z
    .string()
    .transform((text) => text.normalize("NFC").trim())
    .pipe(
      z
        .string()
        .max(maxLength)
        .refine((text) => !UNSAFE_TEXT.test(text), "Contains control or invisible characters."),
    )
    .meta({ wire: "text" });

// Control characters but tab, line feed and carriage return, and formats that reorder or hide text.
const UNSAFE_TEXT = /(?![\t\n\r])\p{Cc}|[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/u;

/** A link people may follow: http or https only, so no `javascript:` or `data:`. */
export const WebUrl = z
  .string()
  .max(2048)
  .refine(isWebUrl, "Expected an http(s) URL.")
  .meta({ wire: "url" });

function isWebUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return (protocol === "https:" || protocol === "http:") && !username && !password;
}

/** An instant as ISO 8601 text. */
export const Instant = z.iso.datetime({ offset: true });

/** Names a call, so that a repeat has the effect of one: the `Idempotency-Key` header. */
export const IdempotencyKey = z.string().min(1).max(255);
