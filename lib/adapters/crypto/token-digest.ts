import { keccak_256 } from "@noble/hashes/sha3.js";
import type { TokenPayload } from "@turnpike/payments/protocol";

/** Where tokens are valid: one chain and one deployment of the contracts. */
export type TokenDomain = { chainId: number; verifyingContract: string };

const TYPES = {
  domain: "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)",
  limits: "Limits(uint256 redemptionLimit,uint256 orderLimit)",
  sessionKey: "SessionKey(address address,string[] permissions,Limits limits)",
  authorization:
    "Authorization(address from,string planId,string agentId,string delegationId,string jti,uint256 iat,uint256 exp,string aud,string resource,string httpVerb,bytes32 accepted)",
} as const;
const TOKEN_TYPE = `AccessToken(Authorization authorization,SessionKey sessionKey)${TYPES.authorization}${TYPES.limits}${TYPES.sessionKey}`;

const text = new TextEncoder();
const hashText = (value: string) => keccak_256(text.encode(value));
const TYPE_HASHES = {
  domain: hashText(TYPES.domain),
  limits: hashText(TYPES.limits),
  sessionKey: hashText(`${TYPES.sessionKey}${TYPES.limits}`),
  authorization: hashText(TYPES.authorization),
  token: hashText(TOKEN_TYPE),
};
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
    concat([TYPE_HASHES.token, hashAuthorization(authorization), hashSessionKey(sessionKey)]),
  );

const hashAuthorization = (value: TokenPayload["authorization"]) =>
  keccak_256(
    concat([
      TYPE_HASHES.authorization,
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
    ]),
  );

const hashSessionKey = ({ address, permissions, limits }: TokenPayload["sessionKey"]) =>
  keccak_256(
    concat([
      TYPE_HASHES.sessionKey,
      addressWord(address),
      keccak_256(concat(permissions.map(hashText))),
      keccak_256(
        concat([
          TYPE_HASHES.limits,
          uintWord(BigInt(limits.redemptionLimit)),
          uintWord(BigInt(limits.orderLimit)),
        ]),
      ),
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
