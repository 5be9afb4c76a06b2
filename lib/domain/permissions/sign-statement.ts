import {
  OFFER_RECEIPT,
  type PaymentOffer,
  type Settlement,
  type SignedStatement,
} from "@turnpike/payments/protocol";
import { provedDomain } from "../plans/domain-proof.ts";
import type { Ports } from "../ports.ts";

/** How long a signed offer holds; a gate asks for a new one before that. */
export const OFFER_SECS = 600;

const RECEIPT_SCHEMA = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  properties: { receipt: { type: "object" } },
  required: ["receipt"],
};

/**
 * The URL as a statement may name it, without its query, or null where it may not: a signature of this service counts as
 * the word of the URL's owner, so in live the account must have proved the URL's domain. In the sandbox the URL's host
 * must be one of an agent that the account registered.
 */
export async function nameableUrl(
  { sitesOf, environment }: Ports,
  account: string,
  given: string | undefined,
): Promise<string | null> {
  const url = given?.split(/[?#]/, 1)[0];
  const host = url && hostOf(url);
  if (!url || !host) return null;
  const sites = await sitesOf(account);
  // In live the service's clock is the machine's, which needs no query with each settlement.
  const now = new Date();
  const isOwn = sites.some((site) =>
    environment === "live"
      ? provedDomain(site, now)?.host === host
      : site.endpoints.some((endpoint) => hostOf(endpoint.url) === host),
  );
  return isOwn ? url : null;
}

/**
 * A settlement with its signed receipt (`offer-receipt` 5.1), for a resource that a statement may name. Signs the time of the
 * ledger's row, which is read where it is not given, so that a repeat of settle gets the same answer.
 */
export async function withReceipt(
  ports: Ports,
  settlement: Settlement,
  { resource, settledAt }: { resource: string | null; settledAt?: Date | undefined },
): Promise<Settlement> {
  if (!settlement.success || resource === null) return settlement;
  const { extensions, ...rest } = settlement;
  const { payer, network, transaction, extra } = rest;
  const issuedAt = settledAt ?? (await timeOf(ports, extra.settlementId));
  if (!issuedAt) return settlement;
  const paid = { payer, network, transaction, resource, issuedAt };
  const info = { receipt: signReceipt(ports, paid, "jws") };
  return {
    extensions: { [OFFER_RECEIPT]: { info, schema: RECEIPT_SCHEMA }, ...extensions },
    ...rest,
  };
}

async function timeOf({ receipts }: Ports, settlementId: string): Promise<Date | null> {
  const found = await receipts.find(settlementId);
  return found && new Date(found.settledAt);
}

type Paid = {
  payer: string;
  network: string;
  transaction: string;
  resource: string;
  issuedAt: Date;
};

/** A signed receipt; EIP-712 signs only for networks of EVM chains (`offer-receipt` 3.1.1). */
export function signReceipt(
  { signer }: Ports,
  { payer, network, transaction, resource, issuedAt }: Paid,
  format: SignedStatement["format"],
): SignedStatement {
  const payload = {
    version: 1 as const,
    network,
    resourceUrl: resource,
    payer,
    issuedAt: unixSecs(issuedAt),
    ...(transaction && { transaction }),
  };
  return signer.sign("receipt", payload, format);
}

/** A signed offer, until `validUntil`. */
export function signOffer(
  { signer }: Ports,
  offer: PaymentOffer,
  terms: { resource: string; validUntil: number; format: SignedStatement["format"] },
): SignedStatement {
  const { scheme, network = "", asset = "", payTo = "", amount = "" } = offer;
  const { resource: resourceUrl, validUntil } = terms;
  const payload = { version: 1 as const, resourceUrl, scheme, network, asset, payTo, amount };
  return signer.sign("offer", { ...payload, validUntil }, terms.format);
}

export const unixSecs = (at: Date): number => Math.floor(at.getTime() / 1000);

function hostOf(url: string): string | null {
  try {
    return new URL(url).host || null;
  } catch {
    return null;
  }
}
