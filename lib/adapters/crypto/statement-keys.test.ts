import { createHash, randomBytes } from "node:crypto";
import {
  checkStatement,
  type OfferPayload,
  type ReceiptPayload,
  type SignedStatement,
} from "@turnpike/payments/protocol";
import {
  extractOfferPayload,
  extractReceiptPayload,
  verifyOfferSignatureEIP712,
  verifyOfferSignatureJWS,
  verifyReceiptSignatureEIP712,
  verifyReceiptSignatureJWS,
} from "@x402/extensions/offer-receipt";
import fc from "fast-check";
import { bytesToHex, type Hex, hexToBytes } from "viem";
import { generatePrivateKey, privateKeyToAccount, sign } from "viem/accounts";
import { describe, expect, test } from "vitest";
import { inFull } from "@/lib/testing/in-full.ts";
import { createStatementKeys } from "./statement-keys.ts";

const ORIGIN = "https://pay.example:8443";
const own = createStatementKeys([randomBytes(32)], ORIGIN);
const OFFER: OfferPayload = {
  version: 1,
  resourceUrl: "https://agent.example/ask",
  scheme: "exact",
  network: "eip155:84532",
  asset: "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
  payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
  amount: "10000",
  validUntil: 1_900_000_000,
};
const RECEIPT: ReceiptPayload = {
  version: 1,
  network: "eip155:84532",
  resourceUrl: "https://agent.example/ask",
  payer: "0x857b06519E91e3A54538791bDbb0E22373e36b66",
  issuedAt: 1_900_000_000,
};
const publicKeyOf = (crv: string) => {
  const key = own.keys.find((each) => each.crv === crv);
  if (!key) throw new Error(`no ${crv} key`);
  return key;
};

describe("statements against the stock extension library, unmodified", () => {
  test("JWS", async () => {
    const { kty, crv, x } = publicKeyOf("Ed25519");
    const jwk = { kty, crv, x, alg: "EdDSA" };
    const offer = own.sign("offer", OFFER, "jws");
    const receipt = own.sign("receipt", RECEIPT, "jws");
    expect(await verifyOfferSignatureJWS(offer as never, jwk)).toEqual(OFFER);
    expect(await verifyReceiptSignatureJWS(receipt as never, jwk)).toEqual(RECEIPT);
    expect(extractOfferPayload(offer as never)).toEqual(OFFER);
    expect(extractReceiptPayload(receipt as never)).toEqual(RECEIPT);
  });

  test("EIP-712", async () => {
    const { address: signer } = publicKeyOf("secp256k1");
    const offer = own.sign("offer", OFFER, "eip712");
    const receipt = own.sign("receipt", RECEIPT, "eip712");
    expect(await verifyOfferSignatureEIP712(offer as never)).toEqual({ signer, payload: OFFER });
    expect(await verifyReceiptSignatureEIP712(receipt as never)).toEqual({
      signer,
      payload: { ...RECEIPT, transaction: "" },
    });
  });
});

test("a JWS that a stock seller signed by ES256K, with either s, holds; an altered one and another key's do not", async () => {
  const privateKey = generatePrivateKey();
  const publicKey = hexToBytes(privateKeyToAccount(privateKey).publicKey).subarray(1);
  const base64url = (bytes: Uint8Array | string) => Buffer.from(bytes).toString("base64url");
  const [x, y] = [base64url(publicKey.subarray(0, 32)), base64url(publicKey.subarray(32))];
  const key = {
    kid: "did:web:seller#1",
    kty: "EC",
    crv: "secp256k1",
    alg: "ES256K",
    x,
    y,
  } as const;
  const header = base64url(JSON.stringify({ alg: "ES256K", kid: key.kid }));
  const signed = `${header}.${base64url(JSON.stringify(RECEIPT))}`;
  const hash = bytesToHex(createHash("sha256").update(signed).digest());
  const { r, s } = await sign({ hash, privateKey });
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
  const high: Hex = `0x${(order - BigInt(s)).toString(16).padStart(64, "0")}`;
  const check = (text: string, mark: Uint8Array, keys: readonly object[] = [key]) =>
    checkStatement(
      "receipt",
      { format: "jws", signature: `${text}.${base64url(mark)}` },
      keys as never,
    );
  for (const each of [s, high]) {
    const mark = Buffer.concat([hexToBytes(r), hexToBytes(each)]);
    expect(await check(signed, mark)).toMatchObject({ isValid: true, payload: RECEIPT });
  }
  const mark = Buffer.concat([hexToBytes(r), hexToBytes(s)]);
  const altered = `${header}.${base64url(JSON.stringify({ ...RECEIPT, payer: "0x0" }))}`;
  const other = { ...key, x: y, y: x };
  expect(await check(altered, mark)).toMatchObject({ isValid: false });
  expect(await check(signed, mark, [other])).toMatchObject({ isValid: false });
  expect(await check(signed, mark.subarray(1))).toMatchObject({ isValid: false });
});

describe.each(["jws", "eip712"] as const)("a check of %s without asking anyone", (format) => {
  test("accepts what the service signed, also with a key that was rotated out", async () => {
    const [older, newer] = [randomBytes(32), randomBytes(32)];
    const before = createStatementKeys([older], ORIGIN).sign("receipt", RECEIPT, format);
    const { keys } = createStatementKeys([newer, older], ORIGIN);
    expect(await checkStatement("receipt", before, keys)).toMatchObject({
      isValid: true,
      payload: RECEIPT,
    });
    const offer = own.sign("offer", OFFER, format);
    expect(await checkStatement("offer", offer, own.keys)).toMatchObject({
      isValid: true,
      payload: OFFER,
    });
  });

  test("refuses a foreign signer with the reason", async () => {
    const foreign = createStatementKeys([randomBytes(32)], ORIGIN).sign("receipt", RECEIPT, format);
    expect(await checkStatement("receipt", foreign, own.keys)).toMatchObject({
      isValid: false,
      reason: expect.stringContaining("another service"),
    });
  });

  test("refuses an offer that is presented as a receipt", async () => {
    const offer = own.sign("offer", OFFER, format);
    expect((await checkStatement("receipt", offer, own.keys)).isValid).toBe(false);
  });

  test("T05: no altered member and no altered character is accepted", async () => {
    const signed = own.sign("receipt", RECEIPT, format);
    const text = JSON.stringify(signed);
    await fc.assert(
      fc.asyncProperty(fc.nat(text.length - 1), fc.constantFrom(..."aZ09x_"), async (at, other) => {
        if (text[at] === other) return;
        const altered = parsed(text.slice(0, at) + other + text.slice(at + 1));
        if (!altered || meansTheSame(altered, signed)) return;
        expect((await checkStatement("receipt", altered, own.keys)).isValid).toBe(false);
      }),
      // Recovering a signer takes milliseconds.
      { numRuns: inFull(400, 60) },
    );
  }, 180_000);
});

test("a key inside the artifact proves nothing", async () => {
  const thief = createStatementKeys([randomBytes(32)], ORIGIN);
  const [head = "", body, mark] = (thief.sign("receipt", RECEIPT, "jws").signature as string).split(
    ".",
  );
  const header = JSON.parse(Buffer.from(head, "base64url").toString());
  const named = { ...header, kid: publicKeyOf("Ed25519").kid, jwk: thief.keys[0] };
  const renamed = `${Buffer.from(JSON.stringify(named)).toString("base64url")}.${body}.${mark}`;
  expect(
    await checkStatement("receipt", { format: "jws", signature: renamed }, own.keys),
  ).toMatchObject({ isValid: false, reason: expect.stringContaining("altered") });
});

test.each([
  ["nothing", null],
  ["a token", { format: "jws", signature: "a.b" }],
  ["no algorithm", { format: "jws", signature: `${btoa('{"alg":"none"}')}.e30.AAAA` }],
  ["a zero signature", { format: "eip712", payload: RECEIPT, signature: `0x${"00".repeat(65)}` }],
])("%s is refused, and never thrown at", async (_, signed) => {
  const { isValid } = await checkStatement("receipt", signed, own.keys);
  expect(isValid).toBe(false);
});

function parsed(text: string): SignedStatement | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Letter case of hex is no change. Members that x402 does not define are not signed by EIP-712. */
function meansTheSame(altered: SignedStatement, signed: SignedStatement): boolean {
  const signatureOf = ({ format, signature }: SignedStatement) =>
    format === "eip712" ? String(signature).toLowerCase() : signature;
  if (altered.format !== signed.format || signatureOf(altered) !== signatureOf(signed))
    return false;
  if (!("payload" in altered) || !("payload" in signed)) return true;
  return JSON.stringify(altered.payload) === JSON.stringify(signed.payload);
}
