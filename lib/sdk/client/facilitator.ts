import type { InputOf, OutputOf } from "../protocol/operations.ts";
import type { SettleInput, VerifyInput } from "../protocol/permission.ts";
import { type CallOptions, call } from "./call.ts";
import type { Connection } from "./connection.ts";
import { randomId } from "./random-id.ts";

type Verify = Extract<InputOf<"verifyPermissions">, { x402AccessToken: string }>;
type Settle = Extract<InputOf<"settlePermissions">, { x402AccessToken: string }>;

/** Checking and charging tokens, the agent's side of a payment (§4.1). */
export function createFacilitator(connection: Connection) {
  return {
    /**
     * Checks a token without burning credits; a refusal is `isValid: false` with its reason (§2.5).
     * `maxAmount` is in credits. With `reserve` the credits are put on hold until settle or release.
     *
     * @example const check = await payments.facilitator.verifyPermissions({ paymentRequired, x402AccessToken })
     */
    verifyPermissions(
      input: Verify,
      options?: CallOptions,
    ): Promise<OutputOf<"verifyPermissions">> {
      // A repeated reserve without a name would hold the credits twice.
      const named = input.reserve ? { agentRequestId: randomId("req_"), ...given(input) } : input;
      return call(connection, "verifyPermissions", named, options);
    },

    /**
     * Burns the credits of a delivered request, once per `agentRequestId`; a refusal is
     * `success: false` with its reason (§2.6). Without an id one is made, so that repeats are safe.
     */
    settlePermissions(
      input: Settle,
      options?: CallOptions,
    ): Promise<OutputOf<"settlePermissions">> {
      const named = { agentRequestId: randomId("req_"), ...given(input) };
      return call(connection, "settlePermissions", named, options);
    },

    /** Gives the credits on hold back: the request was not delivered. Safe to repeat. */
    releasePermissions(
      input: InputOf<"releasePermissions">,
      options?: CallOptions,
    ): Promise<OutputOf<"releasePermissions">> {
      return call(connection, "releasePermissions", input, options);
    },

    /** What became of a request: money status, receipt, chain status. */
    getSettlement: (agentRequestId: string) =>
      call(connection, "getSettlement", { agentRequestId }),

    /** The schemes and networks the service settles. */
    supported: () => call(connection, "supported", {}),
  };
}

/** The members that were given: an explicit `undefined` must not undo a default. */
const given = <T extends object>(input: T): T =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)) as T;

export type { SettleInput, VerifyInput };
