import { PaymentsError } from "../protocol/errors.ts";
import { Uint256 } from "../protocol/primitives.ts";

/** An amount that the caller gave. Throws `invalid_input` for what is none. */
export function readAmount(name: string, given: unknown): bigint {
  const amount = Uint256.safeParse(given);
  if (amount.success) return amount.data;
  throw new PaymentsError("invalid_input", `${name}: ${amount.error.issues[0]?.message}`);
}
