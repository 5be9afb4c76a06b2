import { pathOf } from "@turnpike/payments/protocol";
import { shellAddress } from "../plans/agent-address.ts";
import { clientLine, headLines, type Place } from "../plans/plan-code.ts";
import type { CodeSample } from "../ui/data/code-tabs.tsx";

type GatedRoute = { verb: string; url: string };

export type GatingInput = {
  agentId: string;
  planIds: readonly string[];
  routes: readonly GatedRoute[];
  /** Credits per call, as a decimal string. */
  credits: string;
  environment: Place["environment"];
  origin: string;
};

const quoted = (text: string) => JSON.stringify(text);

/** The list that the routes share where an agent has several plans: each line stays short enough to read. */
const planList = (planIds: readonly string[]): string[] =>
  planIds.length === 1
    ? []
    : ["const planIds = [", ...planIds.map((planId) => `  ${quoted(planId)},`), "];"];

/** The routes as the gate expects them, keyed `METHOD /path`. */
export function routeTable(
  { agentId, planIds, routes, credits }: GatingInput,
  indent = "  ",
): string {
  const config = `{ planId: ${planIds.length === 1 ? quoted(planIds[0] as string) : "planIds"}, agentId: ${quoted(agentId)}, credits: ${credits} }`;
  const lines = routes.map(
    ({ verb, url }) => `${indent}${quoted(`${verb} ${pathOf(url)}`)}: ${config},`,
  );
  return ["{", ...lines, `${indent.slice(2)}}`].join("\n");
}

/** Code that gates the agent's routes with its own ids. Keys come from the environment. */
export function gatingSamples(input: GatingInput): CodeSample[] {
  const [first = { verb: "POST", url: "/" }] = input.routes;
  const code = (names: string, packages: string, imports: readonly string[], rest: string) =>
    [
      ...headLines(input, "agent.mjs", packages),
      ...imports,
      `import { ${names} } from "@turnpike/payments";`,
      "",
      clientLine(input),
      ...planList(input.planIds),
      `const routes = ${routeTable(input)};`,
      "",
      rest,
    ].join("\n");
  const { lines, address } = shellAddress(first.url, "http://localhost:4021");
  const request = `curl -i -X ${first.verb} ${address}`;
  const handler = `${first.verb.toLowerCase()}(${quoted(pathOf(first.url))}`;
  return [
    {
      language: "hono",
      label: "Hono",
      code: code(
        "PaymentMiddleware, Payments",
        " hono @hono/node-server",
        ['import { serve } from "@hono/node-server";', 'import { Hono } from "hono";'],
        `const app = new Hono();
app.use(PaymentMiddleware(payments, routes));
// Your routes go here. They run once the payment is verified.
app.${handler}, (c) => c.json({ answer: 42 }));
serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 4021) });`,
      ),
    },
    {
      language: "express",
      label: "Express",
      code: code(
        "createExpressMiddleware, Payments",
        " express",
        ['import express from "express";'],
        `const app = express();
app.use(createExpressMiddleware(payments, routes));
// Your routes go here. They run once the payment is verified.
app.${handler.replace(/\{(\w+)\}/g, ":$1")}, (_request, response) => response.json({ answer: 42 }));
app.listen(process.env.PORT ?? 4021);`,
      ),
    },
    {
      language: "fetch",
      label: "Fetch",
      code: code(
        "createGate, Payments",
        "",
        [],
        `const gate = createGate(payments, routes);
export const handle = (request) => gate(request, async () => Response.json({ answer: 42 }));`,
      ),
    },
    {
      language: "curl",
      label: "cURL",
      code: [
        ...lines,
        "# Without a token: 402 and the offer in payment-required.",
        request,
        "",
        "# With a token: the response, with the receipt in payment-response.",
        `${request} -H "payment-signature: $TURNPIKE_ACCESS_TOKEN"`,
      ].join("\n"),
    },
  ];
}
