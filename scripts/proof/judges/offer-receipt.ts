import type { KeyObject } from "node:crypto";
import {
  type EIP712SignedOffer,
  type EIP712SignedReceipt,
  extractJWSHeader,
  extractPublicKeyFromKid,
  type JWSSignedOffer,
  type JWSSignedReceipt,
  type OfferPayload,
  type ReceiptPayload,
} from "@x402/extensions/offer-receipt";
import { exportJWK, type JWK } from "jose";
import { bytesToHex, type Hex } from "viem";
import { checkStatement } from "@/lib/sdk/protocol/offer-receipt/check-statement.ts";
import { recoverAddress } from "@/lib/sdk/protocol/offer-receipt/recover-address.ts";
import type { SigningKey } from "@/lib/sdk/protocol/offer-receipt/signed.ts";
import { type StatementKind, statementDigest } from "@/lib/sdk/protocol/offer-receipt/statement.ts";

export * from "@x402/extensions/offer-receipt";

/** What checks signed offers and receipts in Turnpike, under the names of `@x402/extensions`. */
export const hashOfferTypedData = (payload: OfferPayload) =>
  bytesToHex(statementDigest("offer", payload as never));
export const hashReceiptTypedData = (payload: ReceiptPayload) =>
  bytesToHex(statementDigest("receipt", payload as never));

const checkEip712 =
  (kind: StatementKind) => async (signed: EIP712SignedOffer | EIP712SignedReceipt) => {
    if (signed.format !== "eip712") throw new Error("Expected eip712 format");
    const payload = signed.payload as never;
    const isReadable = payload && /^0x[0-9a-f]{130}$/i.test(signed.signature);
    const address = isReadable && recoverAddress(statementDigest(kind, payload), signed.signature);
    const key = {
      kid: "judge",
      kty: "EC",
      crv: "secp256k1",
      alg: "ES256K",
      x: "",
      address: address || "",
    };
    const checked = await checkStatement(kind, signed, [key as SigningKey]);
    if (checked.isValid) return { signer: address as unknown as Hex, payload: checked.payload };
    throw new Error(`Invalid ${kind}: missing or malformed payload. ${checked.reason}`);
  };
export const verifyOfferSignatureEIP712 = checkEip712("offer");
export const verifyReceiptSignatureEIP712 = checkEip712("receipt");

const checkJws =
  (kind: StatementKind) =>
  async (signed: JWSSignedOffer | JWSSignedReceipt, given?: KeyObject | JWK) => {
    if (signed.format !== "jws") throw new Error("Expected jws format");
    const { alg, kid } = extractJWSHeader(signed.signature);
    const found = given ?? (kid ? await extractPublicKeyFromKid(kid) : null);
    if (!found) throw new Error("No public key provided and JWS header missing kid");
    const jwk = "kty" in found ? found : await exportJWK(found as KeyObject);
    const checked = await checkStatement(kind, signed, [{ ...jwk, alg, kid } as SigningKey]);
    if (checked.isValid) return checked.payload;
    throw new Error(checked.reason);
  };
export const verifyOfferSignatureJWS = checkJws("offer");
export const verifyReceiptSignatureJWS = checkJws("receipt");
