import { PlanRedemptionType, totalOf, ZERO_ADDRESS } from "@turnpike/payments/protocol";
import { installLine } from "@/lib/playground/export-code.ts";
import { shellText } from "./agent-address.ts";
import type { PlanPayload, PlanToCreate } from "./builder/payload-of-draft.ts";
import type { Market } from "./market.ts";
import type { PlanTerms } from "./plan-terms.ts";

export const jsonOf = (payload: PlanPayload): string => jsonText(payload, "");

const LINE = 64;

/** JSON with short objects on one line, so that a plan fits on a screen. */
function jsonText(value: unknown, indent: string): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const isList = Array.isArray(value);
  const inner = `${indent}  `;
  const parts = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([key, member]) => (isList ? "" : `${JSON.stringify(key)}: `) + jsonText(member, inner));
  const [open, close] = isList ? ["[", "]"] : ["{", "}"];
  const line = isList ? `[${parts.join(", ")}]` : `{ ${parts.join(", ")} }`;
  const isShort = line.length + indent.length <= LINE && !line.includes("\n") && parts.length <= 2;
  if (parts.length === 0) return open + close;
  if (isShort) return line;
  return `${open}\n${parts.map((part) => inner + part).join(",\n")}\n${indent}${close}`;
}

const asText = (value: string) => JSON.stringify(value);
const asBigint = (value: bigint | string) => `${value}n`;

/**
 * JavaScript that creates the same plan with the SDK. It leaves the nonce out: people copy and edit the
 * code, and the same nonce with other terms would return the first plan.
 */
export function javascriptOf({ payload, terms }: PlanToCreate, market: Market): string {
  const price = priceExpression(terms);
  const credits = creditsExpression(terms);
  const imports = [...new Set([...namesIn(price), ...namesIn(credits), "Payments"])].sort(byName);
  const metadata = {
    ...payload.metadataAttributes,
    ...(payload.isTrialPlan && { isTrialPlan: true }),
  };
  const state = payload.state ?? "listed";
  const verb = terms.accessLimit === "time" ? "registerTimePlan" : "registerCreditsPlan";
  const args = [
    objectExpression(metadata, "  "),
    price,
    credits,
    ...(state === "listed" ? [] : [`{ state: ${asText(state)} }`]),
  ];
  return [
    ...headLines(market, "create-plan.mjs"),
    ...importLines(imports),
    "",
    clientLine(market),
    "",
    `const { planId } = await payments.plans.${verb}(`,
    ...args.map((arg) => `  ${arg},`),
    ");",
    ...(payload.redeemers?.length
      ? [
          `await payments.plans.updatePlan(planId, { redeemers: ${memberExpression(payload.redeemers)} });`,
        ]
      : []),
  ].join("\n");
}

export type Place = Pick<Market, "environment" | "origin">;

export const headLines = ({ origin }: Place, file: string, packages = ""): string[] => [
  installLine(origin, packages),
  `// node ${file}, with TURNPIKE_API_KEY in the environment`,
];

/** The client of every sample. The key comes from the environment. */
export const clientLine = ({ origin }: Place): string =>
  `const payments = Payments.getInstance({ baseUrl: ${asText(origin)} });`;

function importLines(names: string[]): string[] {
  const line = `import { ${names.join(", ")} } from "@turnpike/payments";`;
  if (line.length <= 90) return [line];
  return ["import {", ...names.map((name) => `  ${name},`), '} from "@turnpike/payments";'];
}

/** Names are ASCII. `localeCompare` keeps a phone busy for 30 ms at its first use. */
const byName = (one: string, other: string) => (one.toLowerCase() < other.toLowerCase() ? -1 : 1);
const namesIn = (code: string): string[] =>
  code.replace(/"(?:[^"\\]|\\.)*"/g, "").match(/\b(?:get|set)\w+(?=\()|\bPlanRedemptionType\b/g) ??
  [];

function objectExpression(value: Record<string, unknown>, indent: string): string {
  const members = Object.entries(value).map(
    ([key, member]) => `${key}: ${memberExpression(member)}`,
  );
  const line = `{ ${members.join(", ")} }`;
  if (line.length <= 80) return line;
  return `{\n${members.map((member) => `${indent}  ${member},`).join("\n")}\n${indent}}`;
}

const memberExpression = (member: unknown): string =>
  Array.isArray(member) ? `[${member.map(memberExpression).join(", ")}]` : JSON.stringify(member);

function priceExpression({ price }: PlanTerms): string {
  const [receiver = "", ...others] = price.receivers.map(asText);
  const [amount = "0n"] = price.amounts.map(asBigint);
  if (totalOf(price) === 0n && !receiver) return "getFreePriceConfig()";
  const currency = price.currency === undefined ? "" : asText(price.currency);
  if (!price.isCrypto) return `getFiatPriceConfig(${amount}, ${receiver}, ${currency})`;
  const token = asText(price.tokenAddress);
  const isNative = price.tokenAddress === ZERO_ADDRESS;
  const first = isNative
    ? `getNativeTokenPriceConfig(${amount}, ${receiver})`
    : `getErc20PriceConfig(${amount}, ${token}, ${receiver})`;
  if (others.length === 0 && !currency) return first;
  const members = [
    `...${first}`,
    ...(others.length > 0
      ? [
          `amounts: [${price.amounts.map(asBigint).join(", ")}]`,
          `receivers: [${price.receivers.map(asText).join(", ")}]`,
        ]
      : []),
    ...(currency ? [`currency: ${currency}`] : []),
  ];
  return `{\n${members.map((member) => `    ${member},`).join("\n")}\n  }`;
}

function creditsExpression(terms: PlanTerms): string {
  const { credits } = terms;
  let code = builderExpression(terms);
  if (credits.redemptionType !== PlanRedemptionType.ONLY_SUBSCRIBER) {
    const [name] =
      Object.entries(PlanRedemptionType).find(([, type]) => type === credits.redemptionType) ?? [];
    code = `setRedemptionType(${code}, PlanRedemptionType.${name})`;
  }
  if (credits.proofRequired) code = `setProofRequired(${code})`;
  if (credits.holderRequired) code = `setHolderRequired(${code})`;
  return credits.nftAddress ? `{ ...${code}, nftAddress: ${asText(credits.nftAddress)} }` : code;
}

function builderExpression({ accessLimit, credits }: PlanTerms): string {
  const granted = asBigint(credits.amount);
  if (accessLimit === "time") {
    if (credits.durationSecs === 0n) return "getNonExpirableDurationConfig()";
    return `getExpirableDurationConfig(${asBigint(credits.durationSecs)})`;
  }
  const least = asBigint(credits.minAmount);
  if (credits.isRedemptionAmountFixed) return `getFixedCreditsConfig(${granted}, ${least})`;
  return `getDynamicCreditsConfig(${granted}, ${least}, ${asBigint(credits.maxAmount)})`;
}

function withoutNonce({ nonce: _, ...payload }: PlanPayload): object {
  return payload;
}

export function curlOf(payload: PlanPayload, { origin }: Pick<Market, "origin">): string {
  const body = JSON.stringify(withoutNonce(payload), null, 2);
  return [
    `curl -sS ${origin}/api/v1/protocol/plans \\`,
    '  -H "Authorization: Bearer $TURNPIKE_API_KEY" \\',
    '  -H "Content-Type: application/json" \\',
    `  -d ${shellText(body)}`,
  ].join("\n");
}

/** Python that creates the same plan, using only the standard library. */
export function pythonOf(payload: PlanPayload, { origin }: Pick<Market, "origin">): string {
  return [
    "import json, os, urllib.request",
    "",
    `plan = ${pythonLiteral(withoutNonce(payload), "")}`,
    "request = urllib.request.Request(",
    `    ${asText(`${origin}/api/v1/protocol/plans`)},`,
    "    data=json.dumps(plan).encode(),",
    "    headers={",
    '        "Authorization": "Bearer " + os.environ["TURNPIKE_API_KEY"],',
    '        "Content-Type": "application/json",',
    "    },",
    ")",
    "with urllib.request.urlopen(request, timeout=60) as response:",
    '    print(json.load(response)["planId"])',
  ].join("\n");
}

/** JSON strings and numbers are valid Python; `true` and `false` are not. */
function pythonLiteral(value: unknown, indent: string): string {
  const inner = `${indent}    `;
  if (value === true) return "True";
  if (value === false) return "False";
  if (Array.isArray(value))
    return `[${value.map((item) => pythonLiteral(item, inner)).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  if (members.length === 0) return "{}";
  const lines = members.map(
    ([key, member]) => `${inner}${asText(key)}: ${pythonLiteral(member, inner)},`,
  );
  return `{\n${lines.join("\n")}\n${indent}}`;
}
