import { canParseUrl, isExactOffer, type PaymentOffer } from "@turnpike/payments/protocol";
import { textOf } from "@/lib/text/text-of.ts";
import { type Fact, fact } from "./run.ts";

type Fields = Record<string, unknown>;

/** Schemes of the x402 specification; others are reported and not judged. */
const SCHEMES = ["exact", "upto"];
/** Names of networks in x402 version 1. */
const NAMED_NETWORK = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const CAIP_2 = /^[-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}$/;
const BASE58 = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null ? (value as Fields) : {};
const isText = (value: unknown): value is string => typeof value === "string" && value !== "";
const isAmount = (value: unknown) => isText(value) && /^[1-9]\d{0,77}$/.test(value);
const brief = (value: unknown): string =>
  value === undefined ? "missing" : isText(value) ? value : (JSON.stringify(value) ?? "");

const rule = (name: string, value: unknown, isRight: boolean, must: string): Fact =>
  fact(name, brief(value), isRight, isRight ? "follows the rules of its scheme" : must);

/** An address as a network writes it: EVM and Solana are known, of others any text. */
function addressRule(name: string, value: unknown, network: unknown): Fact {
  const family = textOf(network).split(":")[0];
  const isEvm = family === "eip155" || /^(base|polygon|avalanche|ethereum)/.test(textOf(network));
  const isSolana = String(family).startsWith("solana");
  const isRight = isEvm
    ? ADDRESS.test(textOf(value))
    : isSolana
      ? BASE58.test(textOf(value))
      : isText(value);
  const kind = isEvm ? "an EVM address" : isSolana ? "a Solana address" : "an address";
  return rule(name, value, isRight, `must be ${kind}`);
}

function timeoutRule({ maxTimeoutSeconds: value }: Fields): Fact {
  const isRight = typeof value === "number" && value > 0;
  return rule("maxTimeoutSeconds", value, isRight, "must be a number of seconds above 0");
}

/** Wallets sign EIP-3009 with the token's own name and version; without them no wallet can pay. */
function domainRules({ scheme, network, extra: given }: Fields): Fact[] {
  const extra = fieldsOf(given);
  const isTransfer = scheme === "exact" && (extra.assetTransferMethod ?? "eip3009") === "eip3009";
  if (!isTransfer || !/^(eip155:|base|polygon|avalanche)/.test(textOf(network))) return [];
  return ["name", "version"].map((key) => {
    const must = `must be the token’s EIP-712 ${key}, which wallets sign`;
    return rule(`extra.${key}`, extra[key], isText(extra[key]), must);
  });
}

/** An offer of x402 version 2 that is paid directly, by the rules of its scheme. */
export function judgeDirectOffer(given: unknown): Fact[] {
  const offer = fieldsOf(given);
  const { scheme, network, amount, asset, payTo } = offer;
  if (!isText(scheme)) return [fact("scheme", brief(scheme), false, "is missing")];
  if (!SCHEMES.includes(scheme)) {
    const note = "not a scheme this page knows, so it is not judged";
    return [fact("scheme", scheme, null, note)];
  }
  const most = scheme === "upto" ? "the most that is charged" : "the price";
  return [
    rule("scheme", scheme, true, ""),
    rule("network", network, CAIP_2.test(textOf(network)), "must be a CAIP-2 name, as eip155:8453"),
    rule(
      "amount",
      amount,
      isAmount(amount),
      `must be ${most} in the token’s smallest unit, as a decimal string above 0`,
    ),
    addressRule("asset", asset, network),
    addressRule("payTo", payTo, network),
    timeoutRule(offer),
    ...domainRules(offer),
  ];
}

/** Whether a wallet can pay the offer by one signed transfer. */
export const isTransferOffer = (offer: PaymentOffer): boolean =>
  isExactOffer(offer) &&
  offer.network?.startsWith("eip155:") === true &&
  judgeDirectOffer(offer).every(({ holds }) => holds !== false);

/** An offer of x402 version 1, whose names and amounts are written otherwise. */
function judgeEarlierOffer(given: unknown): Fact[] {
  const offer = fieldsOf(given);
  const { scheme, network, maxAmountRequired, resource, asset, payTo } = offer;
  return [
    rule("scheme", scheme, isText(scheme), "must name a scheme"),
    rule(
      "network",
      network,
      isText(network) && NAMED_NETWORK.test(network),
      "must be a name of version 1, as base-sepolia",
    ),
    rule(
      "maxAmountRequired",
      maxAmountRequired,
      isAmount(maxAmountRequired),
      "must be a decimal string above 0 in the token’s smallest unit",
    ),
    rule(
      "resource",
      resource,
      isText(resource) && canParseUrl(resource),
      "must be the URL it pays for",
    ),
    addressRule("asset", asset, network),
    addressRule("payTo", payTo, network),
    timeoutRule(offer),
    ...domainRules(offer),
  ];
}

/** The facts of each offer, named by its place. */
export const numbered = <Offer>(
  offers: readonly Offer[],
  judge: (offer: Offer, index: number) => Fact[],
): Fact[] =>
  offers.flatMap((offer, index) =>
    judge(offer, index).map((one) => ({ ...one, name: `accepts[${index}].${one.name}` })),
  );

/** Whether a document is a requirement of x402 version 1, where each offer names its resource itself. */
export function isEarlierVersion(document: unknown): boolean {
  const { x402Version, accepts, resource } = fieldsOf(document);
  return x402Version === 1 && Array.isArray(accepts) && resource === undefined;
}

/** The facts of a requirement of version 1. */
export function judgeEarlierVersion(document: unknown): Fact[] {
  const { accepts } = fieldsOf(document);
  const offers = Array.isArray(accepts) ? accepts : [];
  const must = "must have at least one offer";
  return [
    rule("accepts", String(offers.length), offers.length > 0, must),
    ...numbered(offers, judgeEarlierOffer),
  ];
}
