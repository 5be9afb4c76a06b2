import { PaymentsError } from "@turnpike/payments/protocol";

/**
 * Runs a registration, which first looks for what its nonce names. Once more where it failed as one fails that another
 * under the same nonce overtook: then it finds what that one made.
 */
export async function byNonce<T>(
  nonce: bigint | undefined,
  register: () => Promise<T>,
): Promise<T> {
  try {
    return await register();
  } catch (cause) {
    const mayBeOvertaken = !PaymentsError.is(cause) || cause.code === "conflict";
    if (nonce === undefined || !mayBeOvertaken) throw cause;
    return register();
  }
}
