import type { PaidResponse } from "../client/paid-response.ts";
import { priceText } from "../client/spending/purchase.ts";
import { PaymentsError } from "../protocol/errors.ts";
import { isExactOffer } from "../protocol/exact/exact-payload.ts";
import { readJson } from "../protocol/json.ts";
import { DiscoveredResource } from "../protocol/operations/discovery.ts";
import {
  decodePaymentRequired,
  type PaymentOffer,
  X402PaymentRequired,
} from "../protocol/payment-required.ts";
import { planIdOf } from "../protocol/plans/plan-id-of.ts";
import { X402_HEADERS } from "../protocol/x402-headers.ts";
import { checkReceipt } from "./check-receipt.ts";
import type { Verb, VerbArguments, VerbContext } from "./verb.ts";

const MAX_ANSWER = 100_000;
const MILLIONTHS = /^(USD|EUR|GBP|USDC|EURC)$/i;
const count = (n: number | bigint | string, one: string) =>
  `${n} ${one}${String(n) === "1" ? "" : "s"}`;
const text = (value: string | number | string[] | undefined) =>
  value === undefined ? undefined : String(value);

const CALLED = {
  url: { type: "string", description: "The agent's URL." },
  method: { type: "string", description: "The HTTP method. Default: POST with a body, else GET." },
  body: { type: "string", description: "The request's body." },
  header: { type: "array", description: "A header, as `name: value`. May be repeated." },
} as const;

const search: Verb = {
  name: "search",
  summary: "Search paid agents; the best measured come first",
  positional: "query",
  inputs: {
    query: { type: "string", description: "Words to search for. Without them: all agents." },
    type: { type: "string", description: "`http` or `mcp`." },
    network: { type: "string", description: "A network to pay on, such as eip155:84532." },
    limit: { type: "integer", description: "The most results, 1 to 100. Default: 20." },
  },
  required: [],
  isReadOnly: true,
  async run({ read }, input) {
    const given = Object.entries(input).map(([name, value]) => [name, String(value)]);
    const query = new URLSearchParams(Object.fromEntries(given));
    const answer = (await read(`/api/v1/x402/discovery/resources?${query}`)) as {
      items?: unknown[];
      ranking?: string;
    };
    const items = (answer.items ?? []).flatMap((item) => {
      const parsed = DiscoveredResource.safeParse(item);
      return parsed.success ? [parsed.data] : [];
    });
    const lines = items.map(lineOf);
    return {
      json: { items, ranking: answer.ranking },
      text: lines.length > 0 ? lines.join("\n") : "No agents found. Try other words.",
    };
  },
};

function lineOf({ resource, serviceName, description, accepts, extensions }: DiscoveredResource) {
  const { info } = (extensions.measured ?? {}) as {
    info?: { calls?: number; settledShare?: number; p95Ms?: number; domain?: string };
  };
  const share = info?.settledShare;
  const facts = [
    `${count(info?.calls ?? 0, "call")} in 30 days`,
    share !== undefined && `${Math.round(share * 100)} % settled`,
    info?.p95Ms !== undefined && `p95 ${info.p95Ms} ms`,
    info?.domain && `domain ${info.domain} verified`,
  ].filter(Boolean);
  const method = accepts[0]?.extra?.httpVerb ?? "";
  const what = serviceName ?? description ?? "";
  return [`${method} ${resource}`.trim(), what && `  ${what}`, `  ${facts.join(", ")}`]
    .filter(Boolean)
    .join("\n");
}

const price: Verb = {
  name: "price",
  summary: "Get what a URL costs, without paying",
  positional: "url",
  inputs: CALLED,
  required: ["url"],
  isReadOnly: true,
  async run({ reach, read }, input) {
    const answer = await reach(requestOf(input));
    if (answer.status !== 402) {
      const { method } = requestOf(input);
      const other = input.method === undefined && method === "GET" ? " Try --method POST." : "";
      const message = `${answer.status}: the URL asks for no payment for ${method}.${other}`;
      return { json: { status: answer.status, offers: [] }, text: message };
    }
    const requirement = await readRequirement(answer);
    const offers = await Promise.all(
      requirement.accepts.map(async (offer) => ({ ...offer, plan: await planOf(offer, read) })),
    );
    return {
      json: { ...requirement, accepts: offers },
      text: offers.map(offerLine).join("\n"),
    };
  },
};

type PricedOffer = PaymentOffer & { plan: Awaited<ReturnType<typeof planOf>> };

/** What one call costs by an offer: credits of a plan and what those cost, or money. */
function offerLine({ scheme, network, amount = "1", asset = "", extra, plan }: PricedOffer) {
  if (isExactOffer({ scheme })) {
    const symbol = plan?.currency ?? (typeof extra?.name === "string" ? extra.name : asset);
    return `${moneyOf(amount, symbol)} by ${scheme} on ${network}`;
  }
  if (!plan) return `${amount} by ${scheme} on ${network}`;
  const cost = plan.price === "0" ? "free" : moneyOf(plan.price, plan.currency);
  return `${count(amount, "credit")} of ${plan.name} (plan ${plan.planId}): ${cost} for ${count(plan.credits, "credit")}`;
}

/** Currencies and stablecoins have six decimals; of other tokens these are not known. */
const moneyOf = (amount: string, currency: string) =>
  MILLIONTHS.test(currency)
    ? priceText(BigInt(amount), currency)
    : `${amount} of the smallest unit of ${currency}`;

async function readRequirement(answer: Response): Promise<X402PaymentRequired> {
  const header = answer.headers.get(X402_HEADERS.PAYMENT_REQUIRED);
  const inHeader = header === null ? null : decodePaymentRequired(header);
  if (inHeader) return inHeader;
  const body = (await answer.json().catch(() => null)) as { paymentRequired?: unknown } | null;
  const inBody = X402PaymentRequired.safeParse(body?.paymentRequired ?? body);
  if (inBody.success) return inBody.data;
  throw new PaymentsError("invalid_answer", "The URL answers 402 without an x402 requirement.");
}

/** The plan of an offer, where the service knows it; its price is in the smallest unit of its currency. */
async function planOf(offer: PaymentOffer, read: VerbContext["read"]) {
  const planId = planIdOf(offer);
  if (planId === undefined) return undefined;
  const plan = (await read(`/api/v1/protocol/plans/${encodeURIComponent(planId)}`).catch(
    () => null,
  )) as PlanFacts | null;
  if (!plan?.registry) return undefined;
  const { price, credits } = plan.registry;
  const total = price.amounts.reduce((sum, amount) => sum + BigInt(amount), 0n);
  const { name } = plan.metadata.main;
  const currency = price.currency ?? price.tokenAddress;
  return { planId, name, price: total.toString(), currency, credits: credits.amount };
}

type PlanFacts = {
  metadata: { main: { name: string } };
  registry: {
    price: { amounts: string[]; currency?: string; tokenAddress: string };
    credits: { amount: string };
  };
};

const call: Verb = {
  name: "call",
  summary: "Call a paid URL and pay for it, within the limit you set",
  positional: "url",
  inputs: {
    ...CALLED,
    maxSpendCents: {
      type: "integer",
      description:
        "The most to spend on a new order, in cents. Default: 0, which pays with credits you have and orders free plans only.",
    },
    planId: {
      type: "string",
      description: "The plan to pay with, where the agent offers several.",
    },
  },
  required: ["url"],
  isReadOnly: false,
  async run({ payments, reach }, input) {
    const request = requestOf(input);
    const { planId, maxSpendCents } = input;
    const { method, headers } = request;
    const body = text(input.body);
    const paid = await payments().fetch(
      request.url,
      { method, headers, ...(body !== undefined && { body }) },
      {
        fetch: reach,
        ...(planId !== undefined && { planId: String(planId) }),
        maxSpend: BigInt(Number(maxSpendCents ?? 0)),
      },
    );
    const { response, receipt, agentRequestId, declined, payment } = paid;
    const answer = (await response.text()).slice(0, MAX_ANSWER);
    const head = `${response.status}, ${chargedText(paid)}${declined ? `; not paid: ${declined}` : ""}`;
    // The offers of a refusal are for programs; `price` shows them to people.
    const refusal = response.status === 402 ? (readJson(answer) as { message?: unknown }) : null;
    return {
      json: { status: response.status, body: answer, receipt, agentRequestId, payment, declined },
      text: `${head}\n${typeof refusal?.message === "string" ? refusal.message : answer}`,
      isRefused: !response.ok,
    };
  },
};

/** What is known to be charged: a seller may capture what was signed for it later. */
function chargedText({ receipt, payment }: PaidResponse): string {
  if (payment) {
    const amount = moneyOf(payment.amount, "USDC");
    const ends = { paid: "charged", expired: "not charged", open: "signed", unknown: "signed" };
    return `${amount} ${ends[payment.status]}`;
  }
  return `${receipt?.success ? count(receipt.creditsRedeemed, "credit") : "nothing"} charged`;
}

const mint: Verb = {
  name: "mint",
  summary: "Mint an access token for a plan within a delegation; the answer is a secret",
  positional: "planId",
  inputs: {
    planId: { type: "string", description: "The plan's ID." },
    delegationId: {
      type: "string",
      description: "The delegation that limits what the token spends.",
    },
    agentId: { type: "string", description: "The only agent that may take the token." },
    resource: { type: "string", description: "The only URL the token is good for." },
    httpVerb: { type: "string", description: "The only HTTP method the token is good for." },
    redemptionLimit: { type: "integer", description: "The most requests the token pays for." },
  },
  required: ["planId", "delegationId"],
  isReadOnly: false,
  async run({ payments }, { planId, delegationId, agentId, ...limits }) {
    const { resource, httpVerb, redemptionLimit } = limits;
    const minted = await payments().x402.getX402AccessToken(String(planId), text(agentId), {
      delegationConfig: { delegationId: String(delegationId) },
      ...(resource !== undefined && { resource: String(resource) }),
      ...(httpVerb !== undefined && { httpVerb: String(httpVerb) }),
      ...(redemptionLimit !== undefined && { redemptionLimit: Number(redemptionLimit) }),
    });
    return { json: minted, text: minted.accessToken };
  },
};

const balance: Verb = {
  name: "balance",
  summary: "Get your credits: of one plan, or of every plan you ordered",
  positional: "planId",
  inputs: { planId: { type: "string", description: "The plan's ID. Without it: all plans." } },
  required: [],
  isReadOnly: true,
  async run({ payments }, { planId }) {
    if (planId !== undefined) {
      const one = await payments().plans.getPlanBalance(String(planId));
      return { json: one, text: `${count(one.balance, "credit")} of ${one.planName}` };
    }
    const { items } = await payments().holdings.listSubscriptions({ limit: 100 });
    const lines = items.map(
      ({ planName, available, planId }) =>
        `${count(available, "credit")} of ${planName} (plan ${planId})`,
    );
    return { json: { items }, text: lines.join("\n") || "You have not ordered a plan yet." };
  },
};

function requestOf({ url, method, body, header }: VerbArguments): Request {
  const headers = new Headers();
  for (const line of Array.isArray(header) ? header : []) {
    const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):\s*(.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) {
      throw new PaymentsError(
        "invalid_input",
        `A header is \`name: value\`, not ${JSON.stringify(line)}.`,
      );
    }
    headers.append(name, value);
  }
  const verb = text(method)?.toUpperCase() ?? (body === undefined ? "GET" : "POST");
  if (!headers.has("content-type") && body !== undefined && readJson(String(body)) !== undefined) {
    headers.set("content-type", "application/json");
  }
  try {
    return new Request(String(url), {
      method: verb,
      headers,
      ...(body !== undefined && { body: String(body) }),
    });
  } catch {
    throw new PaymentsError(
      "invalid_input",
      `${JSON.stringify(String(url))} cannot be called with ${verb}.`,
    );
  }
}

/** What agents and people do with paid agents, over MCP and on the command line. */
export const VERBS: readonly Verb[] = [search, price, call, mint, balance, checkReceipt];
