import type { AccessToken } from "./access-token-schema.ts";
import { readUint256 } from "./uint256.ts";

type Check = (value: unknown) => boolean;

/**
 * Whether a value is a token document: what the schema {@link AccessToken} accepts, checked by hand, so
 * that decoding a token does not bring a schema library with it. A property test compares the two.
 */
export const isAccessToken = (value: unknown): value is AccessToken => isToken(value);

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isText: Check = (value) => typeof value === "string";
const matches =
  (form: RegExp): Check =>
  (value) =>
    typeof value === "string" && form.test(value);
const isCount: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);

/** Members that must fit, beside any others. */
const hasMembers =
  (members: Record<string, Check>): Check =>
  (value) =>
    isRecord(value) && Object.entries(members).every(([name, check]) => check(value[name]));

/** Members that must fit, and no others. */
const isExactly = (members: Record<string, Check>): Check => {
  const fits = hasMembers(members);
  return (value) =>
    fits(value) && Object.keys(value as object).every((name) => Object.hasOwn(members, name));
};

const isAddressText = matches(/^0x[0-9a-fA-F]{40}$/);
const isAmountText: Check = (value) => typeof value === "string" && readUint256(value) !== null;
const isSeconds: Check = (value) => isCount(value) && (value as number) <= 253_402_300_799;
const isSignature = matches(/^0x[0-9a-f]{130}$/);
const isPermissions: Check = (value) =>
  Array.isArray(value) &&
  value.length <= 2 &&
  value.every((item) => item === "order" || item === "burn");

const isAuthorization = isExactly({
  from: isAddressText,
  planId: isText,
  agentId: optional(isText),
  delegationId: optional(isText),
  jti: optional(isText),
  iat: optional(isSeconds),
  exp: optional(isSeconds),
  aud: optional(isText),
  resource: optional(isText),
  httpVerb: optional(isText),
  cnf: optional(
    isExactly({
      jwk: isExactly({
        kty: (value) => value === "OKP",
        crv: (value) => value === "Ed25519",
        x: matches(/^[A-Za-z0-9_-]{43}$/),
      }),
    }),
  ),
  accepted: optional(matches(/^0x[0-9a-f]{64}$/)),
});

const isSessionKey = isExactly({
  address: isAddressText,
  permissions: isPermissions,
  limits: isExactly({
    redemptionLimit: isCount,
    orderLimit: isAmountText,
    order: optional(
      isExactly({
        planVersion: (value) => isCount(value) && (value as number) >= 1,
        price: isAmountText,
        unit: isText,
        credits: isAmountText,
        durationSecs: isAmountText,
      }),
    ),
  }),
});

const isToken = isExactly({
  x402Version: optional((value) => value === 2),
  resource: optional(hasMembers({ url: optional(isText) })),
  accepted: optional(
    hasMembers({
      scheme: isText,
      network: isText,
      planId: optional(isText),
      extra: optional(isRecord),
    }),
  ),
  payload: isExactly({
    signature: optional(isSignature),
    authorization: isAuthorization,
    sessionKey: isSessionKey,
  }),
  signature: optional(isSignature),
  extensions: optional(isRecord),
});
