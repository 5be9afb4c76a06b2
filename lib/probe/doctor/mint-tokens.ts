import "server-only";
import { randomUUID } from "node:crypto";
import { PaymentsError } from "@turnpike/payments/protocol";
import type { ProbedEndpoint } from "../probe-endpoint.ts";
import type { Payer } from "./payer.ts";
import type { Payable } from "./quote-paid.ts";

const LIFE_SECS = 15 * 60;
const MOST_DELEGATIONS = 20;

/** The tokens of one examination: minted on demand under one delegation that can't spend, and revoked with it. */
export type MintedTokens = {
  /** Mints a token for a number of requests that cannot order. Throws when the service declines. */
  mint(redemptionLimit: number): Promise<string>;
  revokeAll(): Promise<void>;
};

export function mintTokens(
  { call }: Payer,
  { offer, plan }: Payable,
  { verb }: Pick<ProbedEndpoint, "verb">,
  agentId = offer.extra?.agentId,
): MintedTokens {
  const minted: string[] = [];
  const name = `Doctor ${randomUUID().slice(0, 8)}`;
  let delegationId: string | undefined;

  const mintUnder = (redemptionLimit: number, under: string | undefined) =>
    call("getX402AccessToken", {
      accepted: {
        scheme: offer.scheme,
        ...(offer.network && { network: offer.network }),
        planId: plan.planId,
        extra: { httpVerb: verb, ...(agentId && { agentId }) },
      },
      redemptionLimit,
      orderLimit: "0",
      delegationConfig: under
        ? { delegationId: under }
        : { durationSecs: LIFE_SECS, spendingLimitCents: 0n, name },
    });

  /** A delegation that is already signed, for accounts whose owner signs with a wallet. */
  async function mintSigned(redemptionLimit: number, cause: PaymentsError) {
    const { delegations } = await call("listDelegations", { limit: MOST_DELEGATIONS });
    for (const one of delegations.filter(({ status }) => status === "Active")) {
      const token = await mintUnder(redemptionLimit, one.delegationId).catch(() => null);
      if (token) return token;
    }
    throw cause;
  }

  return {
    async mint(redemptionLimit) {
      const token = await mintUnder(redemptionLimit, delegationId).catch((cause: unknown) => {
        if (!PaymentsError.is(cause) || cause.code !== "signature_required") throw cause;
        return mintSigned(redemptionLimit, cause);
      });
      ({ delegationId } = token);
      minted.push(token.tokenId);
      return token.accessToken;
    },
    async revokeAll() {
      // If this fails, they expire within 15 minutes.
      await Promise.all(
        minted.map((tokenId) => call("revokeToken", { tokenId }).catch(() => null)),
      );
      if (!delegationId) return;
      // The delegation may be one that was there before.
      const made = await call("getDelegation", { delegationId }).catch(() => null);
      if (made?.name !== name) return;
      await call("revokeDelegation", { delegationId }).catch(() => null);
    },
  };
}
