import { createServer, type RequestListener } from "node:http";
import { join } from "node:path";
import { getRequestListener } from "@hono/node-server";
import {
  buildPaymentApp,
  createDurableQueue,
  createFileStore,
  type GateObserver,
  type GateOptions,
  type PaymentApp,
  Payments,
} from "@turnpike/payments";
import type { Hex } from "viem";
import { FOREIGN_PATHS } from "@/lib/playground/lab-places.ts";
import { serveOn } from "@/lib/server/own-url.ts";
import { plural } from "@/lib/text/plural.ts";
import { createLabAgent } from "./lab-agent.ts";
import { gateKeyOf } from "./lab-terms.ts";
import type { SandboxFile } from "./sandbox-file.ts";

export const DEMO_AGENT_PATH = "/ask";
/** Routes that any x402 wallet pays: one by the request, one by a plan it buys. */
export const PRICED_PATH = "/ask/priced";
export const PACK_PATH = "/ask/pack";
/** The paths of the failure lab's agents, and of its seller by `exact`. */
const LAB_PATH = "/lab/";
const EXACT_LAB_PATH = "/lab/exact/";
const MAX_TEXT = 20_000;

/** How the agent is called, for agents that look for one. */
const COUNTING = {
  input: { question: "How many words are these?" },
  inputSchema: { properties: { question: { type: "string" } } },
  output: { example: { answer: "That is 5 words and 25 characters.", words: 5 } },
};

/** The demo agent: one paid route behind the gate, described at `/openapi.json`. */
export function createDemoAgent(
  payments: Payments,
  { plans, agent }: Pick<SandboxFile, "plans" | "agent">,
  options?: GateOptions,
): PaymentApp {
  const routes = {
    [`POST ${DEMO_AGENT_PATH}`]: {
      planId: [plans.crypto, plans.card, plans.trial],
      agentId: agent.agentId,
      credits: 1,
      // For wallets that know none of the plans' schemes.
      price: "$0.01",
      description: "Counts the words of what you send.",
      mimeType: "application/json",
      discovery: COUNTING,
    },
    [`POST ${PRICED_PATH}`]: {
      price: "$0.01",
      agentId: agent.agentId,
      description: "The same, for one payment.",
      discovery: COUNTING,
    },
    [`POST ${PACK_PATH}`]: {
      planId: plans.crypto,
      agentId: agent.agentId,
      exact: true,
      description: "The same; any x402 wallet buys the plan with its first request.",
    },
  };
  return buildPaymentApp(payments, routes, { ...options, title: "Reader" })
    .get("/", () => Response.json({ agent: "Reader", paid: `POST ${DEMO_AGENT_PATH}` }))
    .post(DEMO_AGENT_PATH, count)
    .post(PRICED_PATH, count)
    .post(PACK_PATH, count);
}

async function count(request: Request): Promise<Response> {
  const text = (await request.text()).slice(0, MAX_TEXT);
  const question = readQuestion(text);
  const words = question.split(/\s+/).filter(Boolean).length;
  return Response.json({
    answer: `That is ${plural(words, "word")} and ${plural(question.length, "character")}.`,
    question,
    words,
  });
}

/** The caller's question from any JSON, or the text itself. */
function readQuestion(body: string): string {
  try {
    const json: unknown = JSON.parse(body);
    const { question, prompt, input } = (typeof json === "object" && json ? json : {}) as Record<
      string,
      unknown
    >;
    const text = question ?? prompt ?? input;
    return typeof text === "string" ? text : JSON.stringify(json);
  } catch {
    return body;
  }
}

export type DemoAgentOptions = {
  /** Where the service is called. */
  baseUrl: string;
  port: number;
  host: string;
  /** The folder of the gate's journal. */
  dataDir: string;
  observe?: GateObserver | undefined;
  /** Pays the gas of the stock facilitator; without it there are no foreign sellers. */
  facilitatorKey?: Hex;
};

const FOREIGN_ROOTS = ["/foreign/", EXACT_LAB_PATH];

/** Sellers of the stock middleware, loaded with the first request to one: a start without it is faster. */
async function openForeign(
  { chain, builder: { address: payTo }, lab }: SandboxFile,
  { apiKey, baseUrl, facilitatorKey }: { apiKey: string; baseUrl: string; facilitatorKey: Hex },
): Promise<RequestListener> {
  const [agents, { createExactLab }] = await Promise.all([
    import("./foreign-agents.ts"),
    import("./exact-lab.ts"),
  ]);
  const usdc = chain?.contracts.usdc ?? "";
  const own = agents.ownFacilitator(baseUrl, apiKey);
  const stock = agents.stockFacilitator(chain?.rpcUrl ?? "", facilitatorKey);
  const hono = agents.createHonoSeller({ facilitator: own, usdc, payTo });
  const express = agents.createExpressSeller({ facilitator: stock, usdc, payTo });
  const listen = getRequestListener(hono.fetch, { overrideGlobalObjects: false });
  const exactLab =
    lab &&
    createExactLab({
      facilitator: agents.ownFacilitator(baseUrl, gateKeyOf(lab.builder)),
      payTo: lab.builder.address,
      usdc,
    });
  const listenInLab =
    exactLab && getRequestListener(exactLab.fetch, { overrideGlobalObjects: false });
  return (request, response) => {
    if (request.url?.startsWith(FOREIGN_PATHS.express)) express(request, response);
    else if (request.url?.startsWith(EXACT_LAB_PATH)) void listenInLab?.(request, response);
    else void listen(request, response);
  };
}

/** Serves the demo agent on its own port. Rejects with a message that names the port if it is taken. */
export async function startDemoAgent(
  sandbox: SandboxFile,
  { baseUrl, port, host, dataDir, observe, facilitatorKey }: DemoAgentOptions,
): Promise<() => Promise<void>> {
  const apiKey = gateKeyOf(sandbox.builder);
  const payments = Payments.getInstance({ apiKey, environment: "sandbox", baseUrl });
  const queue = createDurableQueue(createFileStore({ folder: join(dataDir, "settlements") }));
  const reader = createDemoAgent(payments, sandbox, { queue, ...(observe && { observe }) });
  const folder = join(dataDir, "lab-settlements");
  const lab = sandbox.lab && createLabAgent({ lab: sandbox.lab, baseUrl, folder });
  const isLab = (request: Request) => new URL(request.url).pathname.startsWith(LAB_PATH);
  const answer = (request: Request) =>
    lab && isLab(request) ? lab.fetch(request) : reader.fetch(request);
  const listen = getRequestListener(answer, { overrideGlobalObjects: false });
  let foreign: Promise<RequestListener> | undefined;
  const server = createServer((request, response) => {
    const isForeign = FOREIGN_ROOTS.some((root) => request.url?.startsWith(root));
    if (!facilitatorKey || !isForeign) return void listen(request, response);
    foreign ??= openForeign(sandbox, { apiKey, baseUrl, facilitatorKey });
    foreign.then(
      (serve) => serve(request, response),
      () => {
        // The next request tries again.
        foreign = undefined;
        response.writeHead(503).end();
      },
    );
  });
  const use = { name: "the demo agent", setting: "AGENT_PORT" };
  return (await serveOn(server, { port, host, use })).close;
}
