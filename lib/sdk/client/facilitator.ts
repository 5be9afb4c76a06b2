import { facilitator } from "../protocol/operations/permissions.ts";
import type { InputOf, OutputOf } from "../protocol/operations.ts";
import { type CallOptions, call } from "./call.ts";
import type { Connection } from "./connection.ts";
import { withRepeatKey } from "./create-operations.ts";
import { randomId } from "./random-id.ts";
import { rareGroup } from "./rare-group.ts";

type Verify = Extract<InputOf<"verifyPermissions">, { x402AccessToken: string }>;
type Settle = Exclude<InputOf<"settlePermissions">, { paymentPayload: object }>;

/** Checks and charges tokens: the agent's side of a payment (§4.1). */
export function createFacilitator(connection: Connection) {
  return {
    ...rareGroup(connection, "facilitator", {
      leasePermissions: 0,
      settleBatch: 0,
      getSettlement: 0,
      supported: 0,
    }),

    /**
     * Checks a token without burning credits; a refusal is `isValid: false` with its reason (§2.5).
     * `maxAmount` is in credits. `reserve` reserves the credits until settle or release.
     *
     * @example const check = await payments.facilitator.verifyPermissions({ paymentRequired, x402AccessToken })
     */
    verifyPermissions(
      input: Verify,
      options?: CallOptions,
    ): Promise<OutputOf<"verifyPermissions">> {
      // A retry without an id would reserve the credits twice.
      const agentRequestId = input.agentRequestId ?? randomId("req_");
      return call(
        connection,
        "verifyPermissions",
        input.reserve ? { ...input, agentRequestId } : input,
        options,
      );
    },

    /**
     * Burns the credits of a delivered request, once per `agentRequestId`; a refusal is
     * `success: false` with its reason (§2.6). Without an id one is created, which makes retries safe.
     */
    settlePermissions(
      input: Settle,
      options?: CallOptions,
    ): Promise<OutputOf<"settlePermissions">> {
      const named = withRepeatKey(facilitator.settlePermissions, input);
      return call(connection, "settlePermissions", named, options);
    },

    /**
     * Renews the reservations of up to 1000 requests that are still under way, each for five more minutes and at most
     * until 24 hours after its verify. Safe to repeat.
     */
    renewPermissions(
      input: InputOf<"renewPermissions">,
      options?: CallOptions,
    ): Promise<OutputOf<"renewPermissions">> {
      return call(connection, "renewPermissions", input, options);
    },

    /** Releases reserved credits: the request was not delivered. Safe to repeat. */
    releasePermissions(
      input: InputOf<"releasePermissions">,
      options?: CallOptions,
    ): Promise<OutputOf<"releasePermissions">> {
      return call(connection, "releasePermissions", input, options);
    },
  };
}
