import { randomBytes } from "node:crypto";
import type { Receipt, SigningKey } from "@turnpike/payments/protocol";
import { expect, test } from "vitest";
import { createStatementKeys } from "@/lib/adapters/crypto/statement-keys.ts";
import { verifySignatures } from "./verify-signature.ts";

const own = createStatementKeys([randomBytes(32)], "https://pay.example");
const readKeys = async (): Promise<SigningKey[]> => own.keys;
const PAID = {
  network: "eip155:84532",
  resourceUrl: "https://agent.example/ask",
  payer: "0x857b06519E91e3A54538791bDbb0E22373e36b66",
  transaction: "",
};
const signBy = (keys: typeof own, more: object = {}) =>
  (["jws", "eip712"] as const).map((format) =>
    keys.sign("receipt", { version: 1, issuedAt: 1, ...PAID, ...more }, format),
  );
const receipt = { ...PAID, signed: signBy(own) } as unknown as Receipt;

test("the page's own receipt is verified in both forms", async () => {
  const outcomes = await verifySignatures(receipt, "", readKeys);
  expect(outcomes.map(({ isValid, title }) => [isValid, title])).toEqual([
    [true, "The JWS signature is valid"],
    [true, "The EIP-712 signature is valid"],
  ]);
});

test("a receipt that is signed for another request is not this one", async () => {
  const signed = signBy(own, { payer: "0x0000000000000000000000000000000000000001" });
  const [outcome] = await verifySignatures({ ...receipt, signed }, "", readKeys);
  expect(outcome).toMatchObject({ isValid: false, text: expect.stringContaining("its payer") });
});

test("what is pasted is refused with the reason: foreign, altered, no receipt", async () => {
  const [foreign] = signBy(createStatementKeys([randomBytes(32)], "https://pay.example"));
  const [jws] = signBy(own);
  const [head, , mark] = String(jws?.signature).split(".");
  const body = Buffer.from(JSON.stringify({ version: 1, issuedAt: 2, ...PAID })).toString(
    "base64url",
  );
  const altered = `${head}.${body}.${mark}`;
  const reasons = [JSON.stringify(foreign), altered, "hello"].map(async (text) => {
    const [outcome] = await verifySignatures(receipt, text, readKeys);
    return [outcome?.isValid, outcome?.text];
  });
  expect(await Promise.all(reasons)).toEqual([
    [false, expect.stringContaining("another service")],
    [false, expect.stringContaining("altered")],
    [false, expect.stringContaining("No signed receipt")],
  ]);
});

test("a signature is not called invalid when the keys could not be fetched", async () => {
  const unread = () => Promise.reject(new TypeError("Failed to fetch"));
  expect(await verifySignatures(receipt, "", unread)).toEqual([
    {
      key: "unknown",
      isValid: null,
      title: "The signature could not be verified",
      text: expect.stringContaining("may still be valid"),
    },
  ]);
});
