import "server-only";
import { PaymentsError } from "@turnpike/payments/protocol";
import type { ProbedEndpoint } from "../probe-endpoint.ts";
import type { Payer } from "./payer.ts";
import type { Payable } from "./quote-paid.ts";

const LIFE_SECS = 15 * 60;
const MOST_DELEGATIONS = 20;

/** Tokens of one examination: made as they are needed, under one delegation, and all revoked at its end. */
export type MintedTokens = {
  /** A token for so many requests, that cannot order. Throws what refuses it. */
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
      delegationConfig: under ? { delegationId: under } : { durationSecs: LIFE_SECS },
    });

  /** Where the owner's wallet signs delegations, one that is signed already. */
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
      // They end by themselves within a quarter of an hour, should this fail.
      await Promise.all(
        minted.map((tokenId) => call("revokeToken", { tokenId }).catch(() => null)),
      );
    },
  };
}
