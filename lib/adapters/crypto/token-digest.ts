import { keccak_256 } from "@noble/hashes/sha3.js";
import type { OrderTerms, TokenPayload } from "@turnpike/payments/protocol";

/** Where tokens are valid: one chain and one deployment of the contracts. */
export type TokenDomain = { chainId: number; verifyingContract: string };

const TYPES = {
  domain: "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)",
  limits: "Limits(uint256 redemptionLimit,uint256 orderLimit)",
  sessionKey: "SessionKey(address address,string[] permissions,Limits limits)",
  authorization:
    "Authorization(address from,string planId,string agentId,string delegationId,string jti,uint256 iat,uint256 exp,string aud,string resource,string httpVerb,bytes32 accepted)",
} as const;
/**
 * The types of a token that signs the terms of its orders and its holder's key, empty for a bearer token. Tokens minted
 * before sign neither and keep their digest.
 */
const ORDER_TYPES = {
  order:
    "Order(uint256 planVersion,uint256 price,string unit,uint256 credits,uint256 durationSecs)",
  limits: "Limits(uint256 redemptionLimit,uint256 orderLimit,Order order)",
  authorization: TYPES.authorization.replace(/\)$/, ",string holderKey)"),
} as const;
const TOKEN_TYPE = "AccessToken(Authorization authorization,SessionKey sessionKey)";

const text = new TextEncoder();
const hashText = (value: string) => keccak_256(text.encode(value));
const TYPE_HASHES = {
  domain: hashText(TYPES.domain),
  order: hashText(ORDER_TYPES.order),
};
const WITHOUT_ORDER = {
  authorization: hashText(TYPES.authorization),
  limits: hashText(TYPES.limits),
  sessionKey: hashText(`${TYPES.sessionKey}${TYPES.limits}`),
  token: hashText(`${TOKEN_TYPE}${TYPES.authorization}${TYPES.limits}${TYPES.sessionKey}`),
};
// EIP-712 lists referenced types by name: Authorization, Limits, Order, SessionKey.
const WITH_ORDER = {
  authorization: hashText(ORDER_TYPES.authorization),
  limits: hashText(`${ORDER_TYPES.limits}${ORDER_TYPES.order}`),
  sessionKey: hashText(`${TYPES.sessionKey}${ORDER_TYPES.limits}${ORDER_TYPES.order}`),
  token: hashText(
    `${TOKEN_TYPE}${ORDER_TYPES.authorization}${ORDER_TYPES.limits}${ORDER_TYPES.order}${TYPES.sessionKey}`,
  ),
};
const typesOf = ({ limits }: TokenPayload["sessionKey"]) =>
  limits.order ? WITH_ORDER : WITHOUT_ORDER;
const ZERO_WORD = new Uint8Array(32);

/** A function from a token's payload to the EIP-712 digest its session key signs: every field but the signature. */
export function createTokenDigest({ chainId, verifyingContract }: TokenDomain) {
  const separator = keccak_256(
    concat([
      TYPE_HASHES.domain,
      hashText("svc"),
      hashText("2"),
      uintWord(BigInt(chainId)),
      addressWord(verifyingContract),
    ]),
  );
  return (payload: TokenPayload): Uint8Array =>
    keccak_256(concat([Uint8Array.of(0x19, 0x01), separator, hashPayload(payload)]));
}

const hashPayload = ({ authorization, sessionKey }: TokenPayload) =>
  keccak_256(
    concat([
      typesOf(sessionKey).token,
      hashAuthorization(authorization, sessionKey),
      hashSessionKey(sessionKey),
    ]),
  );

const hashAuthorization = (
  value: TokenPayload["authorization"],
  sessionKey: TokenPayload["sessionKey"],
) =>
  keccak_256(
    concat([
      typesOf(sessionKey).authorization,
      addressWord(value.from),
      hashText(value.planId),
      hashText(value.agentId ?? ""),
      hashText(value.delegationId ?? ""),
      hashText(value.jti ?? ""),
      uintWord(BigInt(value.iat ?? 0)),
      uintWord(BigInt(value.exp ?? 0)),
      hashText(value.aud ?? ""),
      hashText(value.resource ?? ""),
      hashText(value.httpVerb ?? ""),
      value.accepted ? hexBytes(value.accepted) : ZERO_WORD,
      ...(sessionKey.limits.order ? [hashText(value.cnf?.jwk.x ?? "")] : []),
    ]),
  );

const hashSessionKey = (sessionKey: TokenPayload["sessionKey"]) =>
  keccak_256(
    concat([
      typesOf(sessionKey).sessionKey,
      addressWord(sessionKey.address),
      keccak_256(concat(sessionKey.permissions.map(hashText))),
      hashLimits(sessionKey),
    ]),
  );

function hashLimits(sessionKey: TokenPayload["sessionKey"]): Uint8Array {
  const { redemptionLimit, orderLimit, order } = sessionKey.limits;
  return keccak_256(
    concat([
      typesOf(sessionKey).limits,
      uintWord(BigInt(redemptionLimit)),
      uintWord(BigInt(orderLimit)),
      ...(order ? [hashOrder(order)] : []),
    ]),
  );
}

const hashOrder = ({ planVersion, price, unit, credits, durationSecs }: OrderTerms) =>
  keccak_256(
    concat([
      TYPE_HASHES.order,
      uintWord(BigInt(planVersion)),
      uintWord(BigInt(price)),
      hashText(unit),
      uintWord(BigInt(credits)),
      uintWord(BigInt(durationSecs)),
    ]),
  );

function addressWord(address: string): Uint8Array {
  const word = new Uint8Array(32);
  word.set(hexBytes(address), 12);
  return word;
}

const uintWord = (value: bigint) => hexBytes(`0x${value.toString(16).padStart(64, "0")}`);

export function hexBytes(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hex.slice(2), "hex"));
}

function concat(parts: Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}
