import { pathOf } from "@turnpike/payments/protocol";
import type { CodeSample } from "../ui/data/code-tabs.tsx";

export type GatedRoute = { verb: string; url: string };

export type GatingInput = {
  agentId: string;
  planIds: readonly string[];
  routes: readonly GatedRoute[];
  /** Credits per call, as a decimal string. */
  credits: string;
  environment: string;
  /** Origin of the service. */
  origin: string;
};

const quoted = (text: string) => JSON.stringify(text);

/** The routes as the gate expects them, keyed `METHOD /path`. */
export function routeTable(
  { agentId, planIds, routes, credits }: GatingInput,
  indent = "  ",
): string {
  const plan =
    planIds.length === 1 ? quoted(planIds[0] as string) : `[${planIds.map(quoted).join(", ")}]`;
  const config = `{ planId: ${plan}, agentId: ${quoted(agentId)}, credits: ${credits} }`;
  const lines = routes.map(
    ({ verb, url }) => `${indent}${quoted(`${verb} ${pathOf(url)}`)}: ${config},`,
  );
  return ["{", ...lines, `${indent.slice(2)}}`].join("\n");
}

/** Code that gates the agent's routes with its own ids. Keys come from the environment. */
export function gatingSamples(input: GatingInput): CodeSample[] {
  const { environment, origin } = input;
  const open = `import { Payments, %s } from "@turnpike/payments";

const payments = Payments.getInstance({
  apiKey: process.env.TURNPIKE_API_KEY ?? "",
  environment: ${quoted(environment)},
  baseUrl: ${quoted(origin)},
});

const routes = ${routeTable(input)};
`;
  const start = (name: string) => open.replace("%s", name);
  const [first = { verb: "POST", url: "/" }] = input.routes;
  return [
    {
      language: "hono",
      label: "Hono",
      code: `import { Hono } from "hono";\n${start("PaymentMiddleware")}
const app = new Hono();
app.use(PaymentMiddleware(payments, routes));
// Your routes go here. They run once the payment is verified.`,
    },
    {
      language: "express",
      label: "Express",
      code: `import express from "express";\n${start("createExpressMiddleware")}
const app = express();
app.use(createExpressMiddleware(payments, routes));
// Your routes go here. They run once the payment is verified.`,
    },
    {
      language: "fetch",
      label: "Fetch",
      code: `${start("createGate")}
const gate = createGate(payments, routes);
export const handle = (request: Request) =>
  gate(request, async () => Response.json({ answer: 42 }));`,
    },
    {
      language: "curl",
      label: "cURL",
      code: `# Without a token: 402 and the offer in payment-required.
curl -i -X ${first.verb} ${quoted(URL.canParse(first.url) ? first.url : origin + first.url)}

# With a token: the response, with the receipt in payment-response.
curl -i -X ${first.verb} ${quoted(URL.canParse(first.url) ? first.url : origin + first.url)} -H "payment-signature: $ACCESS_TOKEN"`,
    },
  ];
}
