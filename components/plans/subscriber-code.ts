import { isFree, type PlanCreditsConfig } from "@turnpike/payments/protocol";
import type { Market } from "./market.ts";
import { clientLines } from "./plan-code.ts";
import type { PlanTerms } from "./plan-terms.ts";

/** The agent a sample calls: its id and one endpoint. */
export type SampleAgent = { agentId: string; verb: string; url: string };

type Sample = { planId: string; terms: PlanTerms; agent?: SampleAgent | undefined };
type Place = Pick<Market, "environment" | "origin">;

const ANY_ENDPOINT = { verb: "POST", url: "https://agent.example/ask" };
const asText = (value: string) => JSON.stringify(value);

/** The route as the gate matches it: the endpoint's verb and path. */
export function routeKeyOf({ verb, url }: Pick<SampleAgent, "verb" | "url">): string {
  const path = url.startsWith("/") ? url : (/^https?:\/\/[^/]+(\/[^?#]*)?/.exec(url)?.[1] ?? "/");
  return `${verb} ${path}`;
}

/** The gate's route for the plan, as data: §4.5. */
export const routeConfigOf = ({ planId, terms, agent }: Sample) => ({
  [routeKeyOf(agent ?? ANY_ENDPOINT)]: {
    planId,
    ...(agent && { agentId: agent.agentId }),
    credits: Number(leastCredits(terms.credits)),
  },
});

// JSON can't hold more than a safe integer. The gate raises smaller values to the plan's minimum.
const leastCredits = ({ minAmount }: PlanCreditsConfig) =>
  minAmount <= BigInt(Number.MAX_SAFE_INTEGER) ? minAmount : 1n;

/** TypeScript that puts the gate in front of an endpoint. */
export function gateTypescript(sample: Sample, place: Place): string {
  const { planId, terms, agent } = sample;
  const { minAmount, maxAmount } = terms.credits;
  const isFlexible = terms.accessLimit === "credits" && minAmount !== maxAmount;
  return [
    'import { createGate, Payments } from "@turnpike/payments";',
    "",
    ...clientLines(place),
    "",
    "const gate = createGate(payments, {",
    `  ${asText(routeKeyOf(agent ?? ANY_ENDPOINT))}: {`,
    `    planId: ${asText(planId)},`,
    ...(agent ? [`    agentId: ${asText(agent.agentId)},`] : []),
    ...(isFlexible
      ? [
          `    // ${minAmount} to ${maxAmount}, depending on the request.`,
          `    credits: async (request) => ((await request.clone().text()).length > 1_000 ? ${maxAmount}n : ${minAmount}n),`,
        ]
      : [`    credits: ${minAmount}n,`]),
    "  },",
    "});",
    "",
    "export const POST = (request: Request) =>",
    "  gate(request, async () => Response.json({ answer: 42 }));",
  ].join("\n");
}

/** A request without payment: the endpoint answers 402 with its offer. */
export const gateCurl = ({ agent = { agentId: "", ...ANY_ENDPOINT } }: Sample): string =>
  `curl -i -X ${agent.verb} ${shellText(agent.url)}`;

/** TypeScript for a subscriber: order once, then call. The client pays up to the cap. */
export function subscriberTypescript(sample: Sample, place: Place): string {
  const { planId, terms, agent } = sample;
  const { verb, url } = agent ?? ANY_ENDPOINT;
  return [
    'import { Payments } from "@turnpike/payments";',
    "",
    ...clientLines(place),
    "",
    `await payments.plans.orderPlan(${asText(planId)});`,
    "",
    "const { response, receipt } = await payments.fetch(",
    `  ${asText(url)},`,
    `  { method: ${asText(verb)} },`,
    `  { maxCredits: ${terms.accessLimit === "time" ? 1n : terms.credits.maxAmount}n },`,
    ");",
    "console.log(response.status, receipt);",
  ].join("\n");
}

/** The same by hand: order, mint an access token, send it. */
export function subscriberCurl(sample: Sample, { origin }: Place): string {
  const { planId, terms, agent } = sample;
  const { verb, url } = agent ?? ANY_ENDPOINT;
  const accepted = {
    scheme: terms.price.isCrypto ? "svc:erc4337" : "svc:card-delegation",
    planId,
    ...(agent && { extra: { agentId: agent.agentId } }),
  };
  const head = '  -H "Authorization: Bearer $TURNPIKE_API_KEY" -H "Content-Type: application/json" \\';
  return [
    `# ${isFree(terms.price) ? "Order the plan" : "Order the plan. This pays its price."}`,
    `curl -sS -X POST ${origin}/api/v1/protocol/plans/${planId}/order \\`,
    head,
    `  -d '{}'`,
    "",
    "# Mint an access token",
    `curl -sS ${origin}/api/v1/x402/permissions \\`,
    head,
    `  -d ${shellText(JSON.stringify({ accepted }))}`,
    "",
    "# Call the agent with it",
    `curl -i -X ${verb} ${shellText(url)} -H "payment-signature: $TURNPIKE_ACCESS_TOKEN"`,
  ].join("\n");
}

const shellText = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
