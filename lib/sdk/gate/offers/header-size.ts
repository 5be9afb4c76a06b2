import { forStockReaders } from "../../protocol/exact/stock-readers.ts";
import type { OFFER_RECEIPT } from "../../protocol/offer-receipt/statement.ts";
import type { X402PaymentRequired } from "../../protocol/payment-required.ts";
import type { Settlement } from "../../protocol/permission.ts";
import { encodeHeader } from "../../protocol/x402-headers.ts";
import { consoleLogger, type Logger } from "../logger.ts";

/** nginx takes 4 KB of headers by default and answers 502 above that; the rest is for an app's own. */
const MAX_LENGTH = 3_072;

// Spelled here, so that the client's bundle does not carry the schemas beside it.
const SIGNATURES: typeof OFFER_RECEIPT = "offer-receipt";
const DISCOVERY = "bazaar";

function without<Extended extends { extensions?: Record<string, unknown> }>(
  extension: string,
  extended: Extended,
): Extended {
  const { [extension]: _, ...extensions } = extended.extensions ?? {};
  return { ...extended, extensions };
}

/** A receipt as a header. A long one leaves out its signature, which the service keeps, and then what it also says elsewhere. */
export function receiptHeader(settlement: Settlement): string {
  const whole = encodeHeader(settlement);
  if (whole.length <= MAX_LENGTH || !settlement.success) return whole;
  const unsigned = without(SIGNATURES, settlement);
  const text = encodeHeader(unsigned);
  if (text.length <= MAX_LENGTH) return text;
  // As stock servers pass it on: every client reads these in `extra`, and the hash in `transaction`.
  const isCopy = (name: string) => name === "txHash" || Object.hasOwn(settlement.extra, name);
  const members = Object.entries(unsigned).filter(([name]) => !isCopy(name));
  return encodeHeader(Object.fromEntries(members));
}

function withoutDescription({ resource, ...requirement }: X402PaymentRequired) {
  const { description: _, ...rest } = resource ?? { url: "" };
  return { ...requirement, ...(resource && { resource: rest }) };
}

/**
 * A requirement as a header. The body has what a long one leaves out: its signatures, then what it says for discovery, then the
 * description of its resource, then its last offers, those by `exact` at the very end. Logged once for each route.
 */
export function requirementHeader(
  requirement: X402PaymentRequired,
  { logger = consoleLogger, route }: { logger?: Logger | undefined; route?: object | undefined },
): string {
  const whole = encodeHeader(forStockReaders(requirement));
  if (whole.length <= MAX_LENGTH) return whole;
  let short = without(SIGNATURES, requirement);
  if (isLong(short)) short = without(DISCOVERY, short);
  if (isLong(short)) short = withoutDescription(short);
  let text = encodeHeader(forStockReaders(short));
  for (let count = short.accepts.length - 1; text.length > MAX_LENGTH && count > 0; count -= 1)
    text = encodeHeader(forStockReaders(short, count));
  const fields = {
    resource: requirement.resource?.url,
    bytes: whole.length,
    sent: text.length,
    reason: `Many proxies take no more than ${MAX_LENGTH} bytes. The body has all of it.`,
  };
  const message = "A `payment-required` header was shortened.";
  import("../faults/log-once.ts")
    .then(({ logOnce }) => logOnce(logger, message, message, fields, route))
    .catch(() => {});
  return text;
}

const isLong = (requirement: X402PaymentRequired): boolean =>
  encodeHeader(forStockReaders(requirement)).length > MAX_LENGTH;
