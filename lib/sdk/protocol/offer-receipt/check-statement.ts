import { decodeBase64 } from "../encoding/base64.ts";
import { readJson } from "../json.ts";
import { isSignedBySecp256k1, recoverAddress } from "./recover-address.ts";
import { SignedStatement, type SigningKey } from "./signed.ts";
import {
  OFFER_RECEIPT,
  OfferPayload,
  ReceiptPayload,
  type StatementKind,
  statementDigest,
} from "./statement.ts";

type PayloadOf = { offer: OfferPayload; receipt: ReceiptPayload };

/** A statement that holds, with its payload and its key, or why it does not. */
export type CheckedStatement<Kind extends StatementKind> =
  | { isValid: true; payload: PayloadOf[Kind]; kid: string }
  | { isValid: false; reason: string };

const PAYLOADS = { offer: OfferPayload, receipt: ReceiptPayload } as const;

/**
 * Checks a signed offer or receipt against keys that the checker trusts, without asking anyone (`offer-receipt` 4.5, 5.5).
 * Runs where WebCrypto does. Never throws: whatever is wrong is the reason.
 *
 * @example
 * const { keys } = await (await fetch("https://turnpike.example/.well-known/jwks.json")).json();
 * const checked = await checkStatement("receipt", signed, keys);
 */
export async function checkStatement<Kind extends StatementKind>(
  kind: Kind,
  signed: unknown,
  keys: readonly SigningKey[],
): Promise<CheckedStatement<Kind>> {
  const statement = SignedStatement.safeParse(signed);
  if (!statement.success) return refuse(`This is not a signed ${kind} of x402.`);
  const proved =
    statement.data.format === "jws"
      ? await checkJws(statement.data.signature, keys)
      : checkEip712(kind, statement.data, keys);
  if ("reason" in proved) return refuse(proved.reason);
  const payload = PAYLOADS[kind].safeParse(proved.payload);
  if (!payload.success) {
    return refuse(`The signature is valid, but what it signs is not version 1 of an x402 ${kind}.`);
  }
  return { isValid: true, payload: payload.data as PayloadOf[Kind], kid: proved.kid };
}

type Proved = { payload: unknown; kid: string } | { reason: string };

const refuse = (reason: string) => ({ isValid: false as const, reason });
const FOREIGN = "None of the published keys signed it: it is from another service, or forged.";
const ALTERED = "The signature does not match: it was altered after it was signed, or forged.";

const ES256 = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
/** The service signs by EdDSA; its older receipts are in ES256. Stock sellers sign by ES256K too, which WebCrypto lacks. */
const ALGORITHMS = new Map<unknown, Algorithm | null>([
  ["EdDSA", { name: "Ed25519" }],
  ["ES256", ES256],
  ["ES256K", null],
]);

async function checkJws(jws: string, keys: readonly SigningKey[]): Promise<Proved> {
  const [head = "", body = "", mark = "", ...more] = jws.split(".");
  const header = readPart(head) as { alg?: unknown; kid?: unknown; jwk?: unknown } | null;
  const signature = readBytes(mark);
  if (!header || !signature || more.length > 0) return { reason: "The JWS cannot be read." };
  const algorithm = ALGORITHMS.get(header.alg);
  if (algorithm === undefined)
    return { reason: `The algorithm ${JSON.stringify(header.alg)} is not EdDSA, ES256 or ES256K.` };
  const key = keys.find(({ kid, alg }) => kid === header.kid && alg === header.alg);
  // A key inside the artifact proves nothing about who may sign.
  if (!key) return { reason: FOREIGN };
  const text = new TextEncoder().encode(`${head}.${body}`);
  const isSigned = await isSignedBy(key, algorithm, { text, signature }).catch(() => false);
  return isSigned ? { payload: readPart(body), kid: key.kid } : { reason: ALTERED };
}

type Signed = { text: Uint8Array<ArrayBuffer>; signature: Uint8Array<ArrayBuffer> };

async function isSignedBy(
  { kty, crv, x, y }: SigningKey,
  algorithm: Algorithm | null,
  { text, signature }: Signed,
): Promise<boolean> {
  if (algorithm) {
    const jwk = { kty, crv, x, ...(y && { y }) };
    const own = await crypto.subtle.importKey("jwk", jwk, algorithm, false, ["verify"]);
    return crypto.subtle.verify(algorithm, own, signature, text);
  }
  const [left, right] = [readBytes(x), readBytes(y ?? "")];
  if (!left || !right) return false;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", text));
  return isSignedBySecp256k1(Uint8Array.from([...left, ...right]), digest, signature);
}

function checkEip712(
  kind: StatementKind,
  { payload, signature }: Extract<SignedStatement, { format: "eip712" }>,
  keys: readonly SigningKey[],
): Proved {
  const read = PAYLOADS[kind].safeParse(payload);
  if (!read.success) return { reason: `The payload is not version 1 of an x402 ${kind}.` };
  const signer = recoverAddress(statementDigest(kind, read.data), signature);
  const key = keys.find(({ address }) => address !== undefined && address === signer);
  // A changed payload recovers another signer, so altered and foreign look the same.
  return key
    ? { payload: read.data, kid: key.kid }
    : {
        reason:
          "None of the published keys signed it: it is from another service, altered or forged.",
      };
}

const readPart = (part: string): unknown => readJson(decodeBase64(part) ?? "") ?? null;

/** Bytes of unpadded base64url, or null. */
function readBytes(part: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[A-Za-z0-9_-]+$/.test(part) || part.length % 4 === 1) return null;
  const digits = part.replaceAll("-", "+").replaceAll("_", "/");
  const binary = atob(digits);
  if (btoa(binary).replace(/=+$/, "") !== digits) return null;
  return Uint8Array.from(binary, (byte) => byte.charCodeAt(0));
}

/** A signed offer or receipt as it was found, and which of the two it is to be. */
export type FoundStatement = { kind: StatementKind; signed: unknown };

/**
 * The signed offers and receipts in what someone has kept: a signed statement, a settlement, the answer of a call
 * with it, a requirement, a public receipt, as JSON or as the header that carried it. Empty when there is none.
 */
export function findStatements(kept: unknown): FoundStatement[] {
  const value = typeof kept === "string" ? readKept(kept.trim()) : kept;
  if (typeof value !== "object" || value === null) return [];
  const { extensions, signed, format, payload, paymentRequired, receipt } = value as Record<
    string,
    unknown
  >;
  const { info } = ((extensions as Record<string, unknown> | undefined)?.[OFFER_RECEIPT] ?? {}) as {
    info?: { receipt?: unknown; offers?: unknown };
  };
  if (info?.receipt) return [{ kind: "receipt", signed: info.receipt }];
  if (Array.isArray(info?.offers)) return info.offers.map((signed) => ({ kind: "offer", signed }));
  if (paymentRequired) return findStatements(paymentRequired);
  if (receipt) return findStatements(receipt);
  if (Array.isArray(signed)) return signed.map((signed) => ({ kind: "receipt", signed }));
  if (format !== "jws" && format !== "eip712") return [];
  const { signature } = value as { signature?: unknown };
  const members = payload ?? readPart(String(signature).split(".")[1] ?? "");
  const isOffer = Object.hasOwn(Object(members), "payTo");
  return [{ kind: isOffer ? "offer" : "receipt", signed: value }];
}

function readKept(text: string): unknown {
  if (/^[\w-]+\.[\w-]+\.[\w-]+$/.test(text)) return { format: "jws", signature: text };
  return readJson(text) ?? readPart(text);
}
