import "server-only";
import { randomBytes } from "node:crypto";
import {
  type AccessToken,
  encodeAccessToken,
  type PaymentOffer,
  planIdOf,
  type TokenAuthorization,
} from "@turnpike/payments/protocol";
import type { RefusedToken } from "../checks/check.ts";

const HOUR_SECS = 3_600;

const UNPARSABLE: readonly [what: string, token: string][] = [
  ["that is plain text", "not-a-token"],
  ["with different JSON", Buffer.from('{"x402Version":2,"payload":{}}').toString("base64")],
  ["that is cut off", Buffer.from('{"x402Version":2,"payload":{"authoriz').toString("base64")],
];

/**
 * Headers that every correct gate rejects: three malformed ones, and complete tokens from an invented account that are
 * wrong in one detail. None has a valid signature, so no account can be charged.
 */
export function forgeTokens(
  offer: PaymentOffer,
): (Omit<RefusedToken, "exchange"> & { token: string })[] {
  const now = Math.floor(Date.now() / 1000);
  const planId = planIdOf(offer) ?? "1";
  const sound = { planId, iat: now, exp: now + HOUR_SECS };
  const agentId = offer.extra?.agentId;
  const forged: [what: string, token: string][] = [
    ["for another plan", forge(offer, { ...sound, planId: randomUint() })],
    ["for another agent", forge(offer, { ...sound, agentId: randomUint() })],
    [
      "that has expired",
      forge(offer, {
        ...sound,
        ...(agentId && { agentId }),
        iat: now - 2 * HOUR_SECS,
        exp: now - HOUR_SECS,
      }),
    ],
    ["with a forged signature", forge(offer, { ...sound, ...(agentId && { agentId }) })],
  ];
  return [
    ...UNPARSABLE.map(([what, token]) => ({ kind: "unparsable" as const, what, token })),
    ...forged.map(([what, token]) => ({ kind: "forged" as const, what, token })),
  ];
}

function forge(
  offer: PaymentOffer,
  authorization: Pick<TokenAuthorization, "planId" | "agentId" | "iat" | "exp">,
): string {
  const signature = `0x${randomBytes(65).toString("hex")}`;
  const token: AccessToken = {
    x402Version: 2,
    accepted: { ...offer, network: offer.network ?? "", planId: authorization.planId },
    payload: {
      signature,
      authorization: {
        from: randomAddress(),
        jti: randomBytes(16).toString("hex"),
        ...authorization,
      },
      sessionKey: {
        address: randomAddress(),
        permissions: ["order", "burn"],
        limits: { redemptionLimit: 1, orderLimit: "0" },
      },
    },
    signature,
    extensions: {},
  };
  return encodeAccessToken(token);
}

const randomAddress = () => `0x${randomBytes(20).toString("hex")}`;
const randomUint = () => BigInt(`0x${randomBytes(16).toString("hex")}`).toString();
