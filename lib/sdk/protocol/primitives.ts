import * as z from "zod/mini";
import { checksumAddress, isAddress } from "./address.ts";
import { parseUrl } from "./encoding/parse-url.ts";
import { localeError } from "./issue-text.ts";
import { CANONICAL_DECIMAL, readUint256, wholeNumberFault } from "./uint256.ts";
import { JOINED, toNfc } from "./visible-text.ts";

// `zod/mini` brings no error messages. Keep a locale that the application has set.
if (!z.config().localeError) z.config({ localeError });

/**
 * A whole amount. On the wire a decimal string (or a safe integer); inside, a `bigint`.
 * Refuses signs, exponents, hex, leading zeros, fractions and anything above 2^256 − 1.
 */
export const Uint256 = z
  .pipe(
    z.union([z.string(), z.number(), z.bigint()]),
    z.transform((value, context): bigint => {
      const amount = readUint256(value);
      if (amount !== null) return amount;
      context.issues.push({ code: "custom", input: value, message: wholeNumberFault(value) });
      return z.NEVER;
    }),
  )
  .register(z.globalRegistry, { id: "Uint256", wire: "uint256" });

/** A whole amount that stays a decimal string, for fields the specification types as string (§2.6). */
export const Decimal = z
  .string()
  .check(z.regex(CANONICAL_DECIMAL, "Expected a whole number as a decimal string."));

/** A value of a list that later releases add to: a reader takes one that it does not know as it is given. */
export const growing = <Known extends string>(known: z.ZodMiniType<Known>) =>
  z.union([known, z.string() as z.ZodMiniType<string & {}>]);

/** A count or a duration that fits a JavaScript number; accepts its decimal string too. */
export const Count = z
  .pipe(
    z.pipe(
      z.union([z.number(), z.string().check(z.regex(/^\d{1,15}$/, "Expected a whole number."))]),
      z.transform(Number),
    ),
    z.int().check(z.minimum(0), z.maximum(Number.MAX_SAFE_INTEGER)),
  )
  .register(z.globalRegistry, { wire: "count" });

/** True or false, false when left out; in a query `true`, `false`, `1` or `0`. */
export const Flag = z
  ._default(
    z.union([
      z.boolean(),
      z.pipe(
        z.enum(["true", "false", "1", "0"]),
        z.transform((text) => text === "true" || text === "1"),
      ),
    ]),
    false,
  )
  .register(z.globalRegistry, { wire: "flag" });

/** An object whose members, of any name, all have one form. */
export const mapOf = <T extends z.ZodMiniType>(member: T) => z.catchall(z.object({}), member);

/** A hex address of an EVM account, 20 bytes; mixed case must carry a right EIP-55 checksum. */
export const Address = z
  .pipe(
    z.string().check(
      z.refine(isAddress, {
        error: (issue) =>
          `${JSON.stringify(issue.input)} is not an EVM address, which is 0x and 40 hex digits.`,
      }),
    ),
    z.transform((value) => checksumAddress(value)),
  )
  .register(z.globalRegistry, { wire: "address" });
export type Address = z.output<typeof Address>;

/** A plan id: a uint256 as a decimal string, because it is the ERC-1155 id too. */
export const PlanId = z
  .pipe(
    z.union([Decimal, z.pipe(z.int().check(z.minimum(0)), z.transform(String))]),
    z.string().check(z.refine((id) => readUint256(id) !== null, "Above 2^256-1.")),
  )
  .register(z.globalRegistry, { wire: "uint256" });

/** An agent id: opaque to callers; letters, digits and `:._-`. */
export const AgentId = z.string().check(z.regex(/^[A-Za-z0-9:._-]{1,128}$/, "Not an agent id."));

/** An id a caller or the service gives one paid request: 16 to 128 of `A-Za-z0-9_-`. */
export const AgentRequestId = z
  .string()
  .check(z.regex(/^[A-Za-z0-9_-]{16,128}$/, "Expected 16 to 128 letters, digits, '_' or '-'."));

/** Text people wrote and others will read: trimmed, NFC, and every character in it can be seen. */
export const plainText = (maxLength: number) => visibleText(maxLength, UNSEEN);

/** A name or another text of one line, as `plainText`. */
export const plainLine = (maxLength: number) => visibleText(maxLength, UNSEEN_IN_LINE);

const visibleText = (maxLength: number, unseen: RegExp) => {
  const find = (text: unknown) => unseen.exec(String(text).replace(JOINED, ""));
  return z
    .pipe(
      z.pipe(
        z.string(),
        z.transform((text) => toNfc(text).trim()),
      ),
      z.string().check(
        z.maxLength(maxLength),
        z.refine((text) => !find(text), {
          error: ({ input }) => {
            const [character = ""] = find(input) ?? [];
            return /[\t\n\r]/.test(character)
              ? "Contains a line break or a tab. Write it on one line."
              : `Contains ${codePoint(character)}, which is invisible. Remove it.`;
          },
        }),
        z.refine((text) => text === "" || VISIBLE.test(text), "Contains no visible character."),
      ),
    )
    .register(z.globalRegistry, { wire: "text" });
};

const codePoint = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;

// Controls, formats that hide or reorder text, separators of lines, and default ignorables, which are drawn as nothing.
const UNSEEN = /(?![\t\n\r])\p{Cc}|[\p{Cf}\u2028\u2029\u2800]|(?!\ufe0f)\p{DI}/u;
const UNSEEN_IN_LINE = new RegExp(`[\\t\\n\\r]|${UNSEEN.source}`, "u");
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** A link people may follow: http or https only, so no `javascript:` or `data:`. */
export const WebUrl = z
  .string()
  .check(z.maxLength(2048), z.refine(isWebUrl, "Expected an http(s) URL."))
  .register(z.globalRegistry, { wire: "url" });

/** Whether a text is an http(s) URL without a username or password. */
export function isWebUrl(text: string): boolean {
  const url = parseUrl(text);
  return url !== null && /^https?:$/.test(url.protocol) && !url.username && !url.password;
}

/** An instant as ISO 8601 text. */
export const Instant = z.iso.datetime({ offset: true });

/** Names a call, so that a repeat has the effect of one: the `Idempotency-Key` header. */
export const IdempotencyKey = z.string().check(z.minLength(1), z.maxLength(255));
