import { sha256 } from "../../protocol/encoding/sha256.ts";

/** Whether a key can be the id of x402's `payment-identifier` as it is. */
export const isIdentifier = (key: string): boolean => /^[\w-]{16,128}$/.test(key);

/** An `Idempotency-Key` as the id of x402's `payment-identifier`: a key of another form by its digest. */
export const identifierOf = async (key: string): Promise<string> =>
  isIdentifier(key) ? key : `pay_${await sha256(key)}`;
