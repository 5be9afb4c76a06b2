import * as z from "zod/mini";
import { DelegationConfig } from "../delegation.ts";
import { AgentId, Count, Instant, PlanId, Uint256 } from "../primitives.ts";
import { HolderKey } from "../request-signature.ts";
import { sampleLimits } from "./examples.ts";
import { defineCalls, serveCalls } from "./operation.ts";
import { Done } from "./shared.ts";

const SECTION = "Access tokens";
/** Names one of the caller's access tokens. */
export const TokenRef = z.object({ tokenId: z.string().check(z.maxLength(64)) });
export const byToken = (tokenId: string) => ({ tokenId });

export const x402 = /* @__PURE__ */ defineCalls({
  getX402AccessToken: {
    route: "POST /x402/permissions",
    input: z.object({
      accepted: z.looseObject({
        scheme: z.optional(z.string().check(z.maxLength(64))),
        network: z.optional(z.string().check(z.maxLength(64))),
        planId: z.optional(PlanId),
        extra: z.optional(
          z.looseObject({
            planId: z.optional(PlanId),
            agentId: z.optional(AgentId),
            httpVerb: z.optional(z.string().check(z.maxLength(16))),
          }),
        ),
      }),
      delegationConfig: z.optional(DelegationConfig),
      resource: z.optional(
        z.union([
          z.string().check(z.maxLength(2048)),
          z.object({ url: z.string().check(z.maxLength(2048)) }),
        ]),
      ),
      httpVerb: z.optional(z.string().check(z.maxLength(16))),
      /** The key whose holder must sign each request; without it the token itself is enough to pay. */
      cnf: z.optional(z.strictObject({ jwk: HolderKey })),
      /** Earlier form (§4.1 rule 4): maximum requests, maximum spent on orders, expiry. */
      redemptionLimit: z.optional(z.pipe(Count, z.number().check(z.minimum(1)))),
      orderLimit: z.optional(Uint256),
      expiration: z.optional(Instant),
      /** How many seconds a gate may decide calls on its own, by a lease; so long a revocation may take. Default 0: none. */
      leaseSecs: z.optional(Count),
    }),
    output: z.object({
      accessToken: z.string(),
      tokenId: z.string(),
      delegationId: z.string(),
      expiresAt: z.string(),
      /** The lease that the token allows, where one was asked for: 0 for a token that is bound to a key. */
      leaseSecs: z.optional(Count),
    }),
  },
});

export const x402Operations = /* @__PURE__ */ serveCalls(
  { name: "x402", section: SECTION, scope: "tokens" },
  x402,
  {
    getX402AccessToken: {
      summary: "Mint an access token for a plan",
      tenancy: "everyone",
      sample: ({ planId, agentId }) => ({
        accepted: {
          scheme: "svc:erc4337",
          network: "eip155:84532",
          planId,
          extra: { planId, agentId, httpVerb: "POST" },
        },
        delegationConfig: sampleLimits,
        resource: { url: "https://agent.example/ask" },
        httpVerb: "POST",
        redemptionLimit: 10,
        orderLimit: "100",
        expiration: "2100-01-01T00:00:00Z",
      }),
    },
  },
);

export const tokens = /* @__PURE__ */ defineCalls({
  /** Revokes an access token immediately. */
  revokeToken: {
    route: "DELETE /x402/permissions/:tokenId",
    args: byToken,
    input: TokenRef,
    output: Done,
  },
});

export const tokenOperations = /* @__PURE__ */ serveCalls(
  { name: "tokens", section: SECTION, scope: "tokens" },
  tokens,
  {
    revokeToken: {
      summary: "Revoke an access token immediately",
      sample: ({ spare }) => ({ tokenId: spare.tokenId }),
    },
  },
);
