import * as z from "zod/mini";
import { keccak256 } from "../encoding/keccak.ts";

/** The x402 extension of signed offers and signed receipts. */
export const OFFER_RECEIPT = "offer-receipt";

/** What is signed: terms that a 402 asks for, or that a request was paid and answered. */
export type StatementKind = "offer" | "receipt";

const Text = z.string().check(z.maxLength(2048));

/** A signed offer's payload (`offer-receipt` 4.2); `validUntil` is a Unix time in seconds, 0 is no end. */
export const OfferPayload = z.strictObject({
  version: z.literal(1),
  resourceUrl: Text,
  scheme: Text,
  network: Text,
  asset: Text,
  payTo: Text,
  amount: Text,
  validUntil: z.optional(z.int().check(z.minimum(0))),
});
export type OfferPayload = z.output<typeof OfferPayload>;

/** A signed receipt's payload (`offer-receipt` 5.2); `issuedAt` is a Unix time in seconds. */
export const ReceiptPayload = z.strictObject({
  version: z.literal(1),
  network: Text,
  resourceUrl: Text,
  payer: Text,
  issuedAt: z.int().check(z.minimum(0)),
  transaction: z.optional(Text),
});
export type ReceiptPayload = z.output<typeof ReceiptPayload>;

/** Whether EIP-712 may sign for a network (`offer-receipt` 3.1.1). */
export const isEvmNetwork = (network: string): boolean => /^eip155:\d+$/.test(network);

/** What EIP-712 calls each kind. It signs the members of the payload's schema, in the order in which they are there. */
const TYPES = {
  offer: { name: "Offer", schema: OfferPayload },
  receipt: { name: "Receipt", schema: ReceiptPayload },
};
const NUMBERS = ["version", "validUntil", "issuedAt"];

/** The EIP-712 digest of a payload (`offer-receipt` 3.2, 4.3, 5.3): an absent member counts as 0 or as no text. */
export function statementDigest(
  kind: StatementKind,
  payload: OfferPayload | ReceiptPayload,
): Uint8Array {
  const { name, schema } = TYPES[kind];
  const fields = Object.keys(schema.shape);
  const values = payload as Record<string, string | number | undefined>;
  const typed = fields.map((field) => `${NUMBERS.includes(field) ? "uint256" : "string"} ${field}`);
  const struct = keccak256(
    concat([
      keccak256(`${name}(${typed.join(",")})`),
      ...fields.map((field) =>
        NUMBERS.includes(field) ? word(values[field] ?? 0) : keccak256(String(values[field] ?? "")),
      ),
    ]),
  );
  const domain = keccak256(
    concat([
      keccak256("EIP712Domain(string name,string version,uint256 chainId)"),
      keccak256(`x402 ${kind}`),
      keccak256("1"),
      // A constant of the extension, whatever the payment's network is.
      word(1),
    ]),
  );
  return keccak256(concat([Uint8Array.of(0x19, 0x01), domain, struct]));
}

function word(value: string | number): Uint8Array {
  const hex = BigInt(value).toString(16).padStart(64, "0");
  return Uint8Array.from({ length: 32 }, (_, at) =>
    Number.parseInt(hex.slice(at * 2, at * 2 + 2), 16),
  );
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}
