import { decodeAbiParameters } from "viem";
import {
  type Grant,
  type GrantPermission,
  type GrantTerms,
  permissionBits,
  termsParameters,
} from "../grants/grant.ts";

/** Terms of a grant, read back from its caveat. */
export function readGrantTerms(grant: Grant): GrantTerms {
  const terms = grant.caveats[0]?.terms;
  if (!terms) throw new Error("The grant has no terms.");
  const [decoded] = decodeAbiParameters(termsParameters, terms);
  const permissions = Object.entries(permissionBits) as [GrantPermission, number][];
  return {
    plans: decoded.planIds.length === 0 ? "any" : [...decoded.planIds],
    permissions: permissions
      .filter(([, bit]) => (decoded.permissions & bit) !== 0)
      .map(([name]) => name),
    redemptionLimit: decoded.redemptionLimit,
    orderToken: decoded.orderToken,
    orderLimit: decoded.orderLimit,
    validUntil: Number(decoded.validUntil),
  };
}
