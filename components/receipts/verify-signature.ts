import {
  checkStatement,
  findStatements,
  type Receipt,
  type ReceiptPayload,
  type SigningKey,
} from "@turnpike/payments/protocol";
import { notVerified, type SignatureOutcome } from "./signature-outcome.ts";

/**
 * Verifies what was pasted, or without it the page's own receipt in each of its forms: the signature with the published keys,
 * and a receipt's content with the page.
 */
export async function verifySignatures(
  receipt: Receipt,
  pasted: string,
  readKeys: () => Promise<SigningKey[]> = readPublished,
): Promise<SignatureOutcome[]> {
  const isOwn = pasted.trim() === "";
  const found = findStatements(isOwn ? { signed: receipt.signed } : pasted);
  if (found.length === 0) {
    return [refused("none", "No signed receipt found. Paste the whole text.")];
  }
  const keys = await readKeys().catch(() => null);
  if (!keys) return [notVerified("The published keys could not be read.")];
  return Promise.all(
    found.map(async ({ kind, signed }, index) => {
      const { format } = signed as { format?: string };
      const key = `${format} ${index}`;
      const checked = await checkStatement(kind, signed, keys);
      if (!checked.isValid) return refused(key, checked.reason);
      const { payload } = checked;
      const other = isOwn ? differenceOf(payload as ReceiptPayload, receipt) : null;
      if (other)
        return refused(key, `The signature is valid, but its ${other} is not this receipt’s.`);
      const form = format === "jws" ? "JWS" : "EIP-712";
      return {
        key,
        isValid: true,
        title: `The ${form} signature is valid`,
        text: Object.entries(payload)
          .map(([name, value]) => `${name}: ${value}`)
          .join(", "),
      };
    }),
  );
}

function differenceOf(payload: ReceiptPayload, receipt: Receipt): string | null {
  const { payer, network, resourceUrl, transaction } = receipt;
  const expected = { payer, network, resourceUrl, transaction };
  const wrong = Object.entries(expected).find(
    ([name, value]) => (payload[name as keyof ReceiptPayload] ?? "") !== (value ?? ""),
  );
  return wrong?.[0] ?? null;
}

const refused = (key: string, text: string): SignatureOutcome => ({
  key,
  isValid: false,
  title: "The signature is not valid",
  text,
});

async function readPublished(): Promise<SigningKey[]> {
  const response = await fetch("/.well-known/jwks.json");
  if (!response.ok) throw new Error("The keys could not be fetched.");
  return ((await response.json()) as { keys: SigningKey[] }).keys;
}
