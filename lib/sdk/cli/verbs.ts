import { whyUnreadable } from "../client/offers.ts";
import { readBody } from "../client/paying/read-body.ts";
import type { Payments } from "../client/payments.ts";
import { PaymentsError } from "../protocol/errors.ts";
import { isExactOffer } from "../protocol/exact/exact-payload.ts";
import { DiscoveredResource } from "../protocol/operations/discovery.ts";
import {
  decodePaymentRequired,
  type PaymentOffer,
  X402PaymentRequired,
} from "../protocol/payment-required.ts";
import { planIdOf } from "../protocol/plans/plan-id-of.ts";
import { visibleText } from "../protocol/visible-text.ts";
import { X402_HEADERS } from "../protocol/x402-headers.ts";
import { call } from "./call.ts";
import { checkReceipt } from "./check-receipt.ts";
import { CALLED, requestOf } from "./request.ts";
import type { Verb, VerbContext } from "./verb.ts";
import { balanceText, count, moneyOf, orderText, text } from "./words.ts";

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
      items?: unknown;
      ranking?: string;
    };
    if (!Array.isArray(answer.items)) {
      throw new PaymentsError("invalid_answer", "The response is not a list of agents.", {
        hint: "Check the address of the service (TURNPIKE_URL).",
      });
    }
    const items = answer.items.flatMap((item) => {
      const parsed = DiscoveredResource.safeParse(item);
      return parsed.success ? [parsed.data] : [];
    });
    const lines = items.flatMap(linesOf).map(visibleText);
    return {
      json: { items, ranking: answer.ranking },
      text: lines.length > 0 ? lines.join("\n") : "No agents found. Try other words.",
    };
  },
};

function linesOf({ resource, serviceName, description, accepts, extensions }: DiscoveredResource) {
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
  const named = what ? [`  ${what}`] : [];
  return [`${method} ${resource}`.trim(), ...named, `  ${facts.join(", ")}`];
}

const price: Verb = {
  name: "price",
  summary: "Get what a URL costs, without paying",
  positional: "url",
  inputs: CALLED,
  required: ["url"],
  isReadOnly: true,
  async run({ reach, read }, input) {
    const request = requestOf(input);
    const answer = await reach(request);
    if (answer.status !== 402) {
      release(answer);
      const { method } = request;
      const other = input.method === undefined && method === "GET" ? " Try --method POST." : "";
      const message = `${answer.status}: the URL asks for no payment for ${method}.${other}`;
      return { json: { status: answer.status, offers: [] }, text: message };
    }
    const requirement = await readRequirement(answer).finally(() => release(answer));
    const offers = await Promise.all(
      requirement.accepts.map(async (offer) => ({ ...offer, plan: await planOf(offer, read) })),
    );
    return {
      json: { ...requirement, accepts: offers },
      text: offers.map(offerLine).map(visibleText).join("\n"),
    };
  },
};

/** Closes the connection of an answer that may have no end. */
const release = ({ body }: Response) => void body?.cancel().catch(() => {});

type PricedOffer = PaymentOffer & { plan: Awaited<ReturnType<typeof planOf>> };

/** What one call costs by an offer: credits of a plan and what those cost, or money. */
function offerLine({ scheme, network, amount = "1", asset = "", extra, plan }: PricedOffer) {
  if (isExactOffer({ scheme })) {
    const symbol = plan?.currency ?? (typeof extra?.name === "string" ? extra.name : asset);
    return `${moneyOf(amount, symbol, plan !== undefined)} by ${scheme} on ${network}`;
  }
  if (!plan) return `${amount} by ${scheme} on ${network}`;
  const cost = plan.price === "0" ? "free" : moneyOf(plan.price, plan.currency, true);
  const each = plan.accessLimit === "time" ? "" : `${count(amount, "credit")} of `;
  return `${each}${plan.name} (plan ${plan.planId}): ${cost} for ${orderText(plan)}`;
}

async function readRequirement(answer: Response): Promise<X402PaymentRequired> {
  // A long header leaves out offers that the body has.
  const body = await readBody(answer);
  const inBody = X402PaymentRequired.safeParse(body?.paymentRequired ?? body);
  if (inBody.success) return inBody.data;
  const inHeader = decodePaymentRequired(answer.headers.get(X402_HEADERS.PAYMENT_REQUIRED) ?? "");
  if (inHeader) return inHeader;
  throw new PaymentsError("invalid_answer", whyUnreadable(answer, body), {
    hint: "Use another agent, or tell this one's operator.",
  });
}

/** The plan of an offer, where the service knows it; its price is in millionths of its currency, or the smallest unit of its token. */
async function planOf(offer: PaymentOffer, read: VerbContext["read"]) {
  const planId = planIdOf(offer);
  if (planId === undefined) return undefined;
  const plan = (await read(`/api/v1/protocol/plans/${encodeURIComponent(planId)}`).catch(
    () => null,
  )) as PlanFacts | null;
  if (!plan?.registry) return undefined;
  const { price, credits } = plan.registry;
  const total = price.amounts.reduce((sum, amount) => sum + BigInt(amount), 0n);
  const { main, plan: terms } = plan.metadata;
  const { name } = main;
  // On chain the token decides: the currency of a price in one without a known value is a name its builder chose.
  const isNamed = !price.isCrypto || terms.orderCost;
  const currency = (isNamed && price.currency) || price.tokenAddress;
  return {
    ...{ planId, name, price: total.toString(), currency },
    ...(terms.accessLimit !== "time" && { credits: credits.amount }),
    accessLimit: terms.accessLimit,
    durationSecs: Number(credits.durationSecs ?? 0),
  };
}

type PlanFacts = {
  metadata: { main: { name: string }; plan: { orderCost?: object; accessLimit?: string } };
  registry: {
    price: { amounts: string[]; currency?: string; tokenAddress: string; isCrypto: boolean };
    credits: { amount: string; durationSecs?: string | number };
  };
};

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
    agentId: { type: "string", description: "The only agent that may accept the token." },
    resource: { type: "string", description: "The only URL the token is valid for." },
    httpVerb: { type: "string", description: "The only HTTP method the token is valid for." },
    redemptionLimit: {
      type: "integer",
      description: "The maximum number of requests the token pays for.",
    },
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
  summary: "Get your credits and access: of one plan, or of every plan you ordered",
  positional: "planId",
  inputs: { planId: { type: "string", description: "The plan's ID. Without it: all plans." } },
  required: [],
  isReadOnly: true,
  async run({ payments }, { planId }) {
    if (planId !== undefined) {
      const one = await payments().plans.getPlanBalance(String(planId));
      const { planType: accessLimit, balance, held, isSubscriber, expiresAt: endsAt } = one;
      const isActive = isSubscriber && balance > 0n;
      const owned = { ...one, accessLimit, available: balance - held, isActive, endsAt };
      return { json: one, text: visibleText(balanceText(owned)) };
    }
    const items = await subscriptionsOf(payments());
    const lines = items.map((item) => visibleText(balanceText(item)));
    return { json: { items }, text: lines.join("\n") || "You have not ordered a plan yet." };
  },
};

async function subscriptionsOf({ holdings }: Payments) {
  const page = await holdings.listSubscriptions({ limit: 100 });
  const items = [...page.items];
  for (let cursor = page.nextCursor; cursor; ) {
    const next = await holdings.listSubscriptions({ limit: 100, cursor });
    items.push(...next.items);
    cursor = next.nextCursor;
  }
  return items;
}

/** What agents and people do with paid agents, over MCP and on the command line. */
export const VERBS: readonly Verb[] = [search, price, call, mint, balance, checkReceipt];
