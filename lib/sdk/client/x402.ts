import { decodeAccessToken } from "../protocol/access-token.ts";
import type { DelegationConfig } from "../protocol/delegation.ts";
import type { InputOf, OutputOf } from "../protocol/operations.ts";
import {
  type BuildPaymentRequiredForPlansOptions,
  type BuildPaymentRequiredOptions,
  buildPaymentRequiredForPlans,
  type X402PaymentRequired,
} from "../protocol/payment-required.ts";
import { networkOf, readScheme, type SchemeId } from "../protocol/schemes.ts";
import { call } from "./call.ts";
import type { Connection } from "./connection.ts";
import { resolveScheme } from "./resolve-scheme.ts";
import type { Cents } from "./spending/purchase.ts";

type MintInput = InputOf<"getX402AccessToken">;

/** How a token is minted (§2.3, §4.1); everything is optional. */
export type X402TokenOptions = {
  /** `svc:erc4337` or `svc:card-delegation`; resolved from the plan when left out. */
  scheme?: string;
  /** Reuses a delegation by its id, or creates one with these limits. By default, one is created. */
  delegationConfig?: MintInput["delegationConfig"];
  /** Members to add to the offer the token answers. */
  accepted?: Partial<MintInput["accepted"]>;
  /** Binds the token to this endpoint. */
  resource?: MintInput["resource"];
  /** Binds the token to this HTTP method. */
  httpVerb?: string;
  /** Binds the token to a key, whose holder must sign each request; without it the token is a bearer token. */
  cnf?: MintInput["cnf"];
  /** The maximum number of requests. */
  redemptionLimit?: MintInput["redemptionLimit"];
  /** The maximum spent on orders, in the token's smallest unit. */
  orderLimit?: MintInput["orderLimit"];
  /** The maximum spent on orders, in cents; 0 for a token that orders nothing. It counts in full on the day it is minted. */
  maxSpend?: Cents;
  /** When the token expires, ISO 8601. */
  expiration?: string;
  /**
   * For how many seconds a gate may decide calls by a lease, which delays revocation as long; at most 60. Default: 0, none.
   */
  leaseSecs?: MintInput["leaseSecs"];
};

export type { DelegationConfig };

const networkOfName = (connection: Connection, name: string): string | undefined => {
  const scheme = readScheme(name, connection.schemeAliases);
  return scheme === null ? undefined : networkOf(scheme, connection.environment);
};

/** Mints a token with these options, whatever has been spent. */
export async function mintToken(
  connection: Connection,
  planId: string,
  agentId: string | null | undefined,
  { scheme: explicitScheme, accepted, ...limits }: Omit<X402TokenOptions, "maxSpend">,
): Promise<OutputOf<"getX402AccessToken">> {
  const scheme = await resolveScheme(
    { connection },
    planId,
    explicitScheme ?? (accepted?.scheme as string | undefined),
  );
  const { httpVerb } = limits;
  const extra = {
    ...(agentId && { agentId }),
    ...(httpVerb && { httpVerb }),
    ...accepted?.extra,
  };
  const network = networkOfName(connection, scheme);
  return call(connection, "getX402AccessToken", {
    accepted: { ...(network && { network }), ...accepted, scheme, planId, extra },
    ...limits,
  });
}

/** Access tokens and payment requirements (§4.1, §4.2). */
export function createX402(connection: Connection) {
  /**
   * Mints an access token for a plan and, better, one agent (§4.1). Without `delegationConfig` a
   * delegation is made. Throws `not_found`, `invalid_input`, `spending_not_allowed` where the instance's limits
   * leave too little, or what refuses the delegation.
   *
   * @example const { accessToken } = await payments.x402.getX402AccessToken(planId, agentId)
   */
  async function getX402AccessToken(
    planId: string,
    agentId?: string | null,
    tokenOptions: X402TokenOptions = {},
  ): Promise<OutputOf<"getX402AccessToken">> {
    const { mintWithinLimits } = await import("./spending/mint-within-limits.ts");
    return mintWithinLimits(connection, planId, tokenOptions, (options) =>
      mintToken(connection, planId, agentId, options),
    );
  }

  /**
   * A requirement with one offer; the scheme is detected from the plan when left out (§4.2).
   *
   * @example await payments.x402.buildPaymentRequired({ planId, endpoint, httpVerb: "POST" })
   */
  const buildPaymentRequired = ({
    planId,
    ...options
  }: BuildPaymentRequiredOptions): Promise<X402PaymentRequired> =>
    buildForPlans({ ...options, planIds: [planId] });

  /** A requirement with one offer per plan, each with its own scheme (§4.2). */
  async function buildForPlans(
    options: BuildPaymentRequiredForPlansOptions,
  ): Promise<X402PaymentRequired> {
    const schemes = new Map<string, SchemeId>();
    await Promise.all(
      options.planIds.map(async (planId) => {
        const { scheme } = options;
        const explicit = typeof scheme === "function" ? scheme(planId) : scheme;
        schemes.set(planId, await resolveScheme({ connection }, planId, explicit));
      }),
    );
    const requirement = buildPaymentRequiredForPlans({
      ...options,
      scheme: (planId) => schemes.get(planId) as SchemeId,
    });
    if (options.network !== undefined) return requirement;
    const accepts = requirement.accepts.map((offer) => ({
      ...offer,
      network: networkOfName(connection, offer.scheme) ?? offer.network,
    }));
    return { ...requirement, accepts };
  }

  return {
    getX402AccessToken,
    buildPaymentRequired,
    buildPaymentRequiredForPlans: buildForPlans,
    decodeAccessToken,
  };
}
