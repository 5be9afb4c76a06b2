import { canParseUrl, isFree, type PlanCreditsConfig } from "@turnpike/payments/protocol";
import { shellAddress, shellText } from "./agent-address.ts";
import { clientLine, headLines, type Place } from "./plan-code.ts";
import type { PlanTerms } from "./plan-terms.ts";

export type SampleAgent = { agentId: string; verb: string; url: string };

type Sample = { planId: string; terms: PlanTerms; agent?: SampleAgent | undefined };

const ANY_AGENT = "https://agent.example";
const ANY_ENDPOINT = { verb: "POST", url: `${ANY_AGENT}/ask` };
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

export function gateJavascript(sample: Sample, place: Place): string {
  const { planId, terms, agent } = sample;
  const { minAmount, maxAmount } = terms.credits;
  const isFlexible = terms.accessLimit === "credits" && minAmount !== maxAmount;
  return [
    ...headLines(place, "agent.mjs"),
    'import { createServer } from "node:http";',
    'import { createNodeListener, Payments } from "@turnpike/payments";',
    "",
    clientLine(place),
    "",
    "const routes = {",
    `  ${asText(routeKeyOf(agent ?? ANY_ENDPOINT))}: {`,
    `    planId: ${asText(planId)},`,
    ...(agent ? [`    agentId: ${asText(agent.agentId)},`] : []),
    ...(isFlexible
      ? [
          `    // ${minAmount} to ${maxAmount}: a function of the request can choose, too.`,
          `    credits: ${maxAmount}n,`,
        ]
      : [`    credits: ${minAmount}n,`]),
    "  },",
    "};",
    "const listener = createNodeListener(payments, routes, (_request, response, payment) => {",
    '  response.setHeader("content-type", "application/json");',
    "  if (!payment) response.statusCode = 404;",
    "  response.end(JSON.stringify(payment ? { answer: 42 } : {}));",
    "});",
    "createServer(listener).listen(process.env.PORT ?? 4021);",
  ].join("\n");
}

/** A request without payment: the endpoint answers 402 with its offer. */
export function gateCurl({ agent = { agentId: "", ...ANY_ENDPOINT } }: Sample): string {
  const { lines, address } = shellAddress(agent.url, ANY_AGENT);
  return [...lines, `curl -i -X ${agent.verb} ${address}`].join("\n");
}

/** Names the order a sample makes, so that running the sample again pays nothing. */
const orderKeyOf = (planId: string) => `first-order-of-${planId}`;

/** JavaScript for a subscriber: orders once, then calls. The client pays up to the cap. */
export function subscriberJavascript(sample: Sample, place: Place): string {
  const { planId, terms, agent } = sample;
  const { verb, url } = agent ?? ANY_ENDPOINT;
  const isPath = !canParseUrl(url);
  return [
    ...headLines(place, "call.mjs"),
    ...(isPath ? [`// and with AGENT_URL, where the agent runs, such as ${ANY_AGENT}`] : []),
    'import { Payments } from "@turnpike/payments";',
    "",
    clientLine(place),
    `const planId = ${asText(planId)};`,
    "",
    `// ${isFree(terms.price) ? "Orders the plan" : "Pays the plan's price"} once: another order needs another key.`,
    "const { balance } = await payments.plans.getPlanBalance(planId);",
    `if (balance === 0n) await payments.plans.orderPlan(planId, { idempotencyKey: ${asText(orderKeyOf(planId))} });`,
    "",
    "const { response, receipt } = await payments.fetch(",
    `  ${isPath ? "process.env.AGENT_URL + " : ""}${asText(url)},`,
    `  { method: ${asText(verb)} },`,
    `  { planId, maxCredits: ${terms.accessLimit === "time" ? 1n : terms.credits.maxAmount}n },`,
    ");",
    "console.log(response.status, receipt);",
  ].join("\n");
}

/** The same by hand: order, mint an access token, send it. */
export function subscriberCurl(sample: Sample, { origin }: Place): string {
  const { planId, terms, agent } = sample;
  const { verb, url } = agent ?? ANY_ENDPOINT;
  const { lines, address } = shellAddress(url, ANY_AGENT);
  const accepted = {
    scheme: terms.price.isCrypto ? "svc:erc4337" : "svc:card-delegation",
    planId,
    ...(agent && { extra: { agentId: agent.agentId } }),
  };
  const head =
    '  -H "Authorization: Bearer $TURNPIKE_API_KEY" -H "Content-Type: application/json" \\';
  return [
    ...lines,
    `# ${isFree(terms.price) ? "Order the plan" : "Order the plan. This pays its price"}, once: another order needs another key.`,
    `curl -sS -X POST ${origin}/api/v1/protocol/plans/${planId}/order \\`,
    head,
    `  -d ${shellText(JSON.stringify({ idempotencyKey: orderKeyOf(planId) }))}`,
    "",
    "# Mint an access token",
    `TURNPIKE_ACCESS_TOKEN=$(curl -sS ${origin}/api/v1/x402/permissions \\`,
    head,
    `  -d ${shellText(JSON.stringify({ accepted }))} | sed -n 's/.*"accessToken":"\\([^"]*\\)".*/\\1/p')`,
    "",
    "# Call the agent with it",
    `curl -i -X ${verb} ${address} -H "payment-signature: $TURNPIKE_ACCESS_TOKEN"`,
  ].join("\n");
}
