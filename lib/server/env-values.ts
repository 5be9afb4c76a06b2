import { canParseUrl } from "@turnpike/payments/protocol";
import { z } from "zod";
import type { KeptDays } from "@/lib/adapters/db/figures/retention.ts";

/** Values of settings: numbers, addresses, keys, a switch, days. */

const WHOLE = "Expected a whole number, digits only.";
/** Digits alone: a number is also written 0x10, 1e3 or 5.0, which people rarely mean. */
export const whole = (min = 0, max = Number.MAX_SAFE_INTEGER) =>
  z.string().regex(/^\d+$/, WHOLE).transform(Number).pipe(z.number().min(min).max(max));
export const port = (fallback: number) => whole(0, 65_535).default(fallback);
export const httpUrl = z
  .url({ protocol: /^https?$/, error: "Expected http://… or https://…." })
  .refine(hasOneHost, "Expected one address, not a list.");
/** The service adds the path of a transaction. */
export const explorerUrl = httpUrl.refine(
  (text) => !/\/tx\/*$/.test(text),
  "Expected the explorer's address without /tx.",
);
const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
/** Of the curve that chains sign with. */
export const privateKey = z
  .string()
  .regex(/^(0x)?[0-9a-fA-F]{64}$/, {
    error: "Expected 32 bytes as hex.",
    abort: true,
  })
  .refine((text) => {
    const key = BigInt(`0x${text.replace(/^0x/, "")}`);
    return key > 0n && key < CURVE_ORDER;
  }, "This is not a valid private key. Generate one with openssl rand -hex 32.");
export const smtpUrl = z.url({
  protocol: /^smtps?$/,
  error: "Expected smtp://… or smtps://….",
});
/** Calls per minute; 0 is unlimited. */
export const rate = (fallback: number) => whole(0, 100_000_000).default(fallback);
/** Where people and agents reach the service, without the slash that links begin with. */
export const origin = httpUrl
  .refine(
    (text) => canParseUrl(text) && new URL(text).href === `${new URL(text).origin}/`,
    "Expected scheme, host and port only, as in https://pay.example.",
  )
  .transform((text) => new URL(text).origin)
  .optional();
export const postgresUrl = z
  .string()
  .regex(/^postgres(ql)?:\/\//, "Expected postgres://…")
  // What follows an unescaped /, ? or # of a password has the @ of the host behind it.
  .regex(
    /^[a-z]+:\/\/[^/?#]*([/?][^@#]*)?$/,
    "Expected postgres://user:password@host:port/database. In the password write / as %2F, ? as %3F and # as %23.",
  )
  .refine(
    hasOneHost,
    "Expected one host, and its port in digits: postgres://user:password@host:port/database.",
  )
  .optional();
/** A key of the card processor, by how it begins. */
export const stripeKey = (prefix: string, expected: string) =>
  z
    .string()
    .regex(new RegExp(`^${prefix}_\\S+$`), expected)
    .optional();
/** Signing secrets of webhook endpoints, comma-separated: the platform's, the connected accounts', and those being replaced. */
export const webhookSecrets = z
  .string()
  .regex(
    /^whsec_[\w+/=-]+(\s*,\s*whsec_[\w+/=-]+)*$/,
    "Expected whsec_…; those of several endpoints, comma-separated.",
  )
  .transform((list) => list.split(",").map((secret) => secret.trim()))
  .optional();
/** Words, comma-separated. */
export const words = (fallback: string) =>
  z
    .string()
    .default(fallback)
    .transform((list) =>
      list
        .split(",")
        .map((word) => word.trim())
        .filter(Boolean),
    );
export const flag = z
  .enum(["true", "false", "1", "0"])
  .default("false")
  .transform((value) => value === "true" || value === "1");

/** A setting in days. Figures read reports of thirty days, and pages count deliveries and mails of seven: no fewer are kept. */
export const keptDays = (least: number, fallback: number) =>
  whole(0, 36_500)
    .refine((n) => n === 0 || n >= least, `Expected 0 to keep them, or at least ${least} days.`)
    .default(fallback);

/** For how many days rows beside the ledger are kept. */
export const readKeptDays = (
  variables: Record<`${"REPORTS" | "DELIVERIES" | "MAILS" | "EVENTS"}_KEPT_DAYS`, number>,
): KeptDays => ({
  reports: variables.REPORTS_KEPT_DAYS,
  deliveries: variables.DELIVERIES_KEPT_DAYS,
  mails: variables.MAILS_KEPT_DAYS,
  events: variables.EVENTS_KEPT_DAYS,
});

/** A comma is part of a host's name to the parser of URLs, and of a list of them to people. */
function hasOneHost(text: string): boolean {
  return canParseUrl(text) && !/,/.test(new URL(text).hostname) && !/,\s*\w+:\/\//.test(text);
}
