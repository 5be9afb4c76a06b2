import type { Server } from "node:http";
import { join } from "node:path";
import { serve } from "@hono/node-server";
import {
  createDurableQueue,
  createFileStore,
  type GateObserver,
  type GateOptions,
  PaymentMiddleware,
  Payments,
} from "@turnpike/payments";
import { Hono } from "hono";
import { createLabAgent } from "./lab-agent.ts";
import type { SandboxFile } from "./sandbox-file.ts";

export const DEMO_AGENT_PATH = "/ask";
const MAX_TEXT = 20_000;

/** The demo agent: a Hono app, and the gate in front of its one paid route. */
export function createDemoAgent(
  payments: Payments,
  { plans, agent }: Pick<SandboxFile, "plans" | "agent">,
  options?: GateOptions,
): Hono {
  const app = new Hono();
  const routes = {
    [`POST ${DEMO_AGENT_PATH}`]: {
      planId: [plans.crypto, plans.card, plans.trial],
      agentId: agent.agentId,
      credits: 1,
      description: "Counts the words of what you send.",
      mimeType: "application/json",
    },
  };
  app.use(PaymentMiddleware(payments, routes, options));
  app.get("/", (http) => http.json({ agent: "Reader", paid: `POST ${DEMO_AGENT_PATH}` }));
  app.post(DEMO_AGENT_PATH, async (http) => {
    const text = (await http.req.text()).slice(0, MAX_TEXT);
    const question = readQuestion(text);
    const words = question.split(/\s+/).filter(Boolean).length;
    return http.json({
      answer: `That is ${words} ${words === 1 ? "word" : "words"} and ${question.length} characters.`,
      question,
      words,
    });
  });
  return app;
}

/** The caller's question in any JSON, or the text itself. */
function readQuestion(text: string): string {
  try {
    const body: unknown = JSON.parse(text);
    const { question, prompt, input } = (typeof body === "object" && body ? body : {}) as Record<
      string,
      unknown
    >;
    const asked = question ?? prompt ?? input;
    return typeof asked === "string" ? asked : JSON.stringify(body);
  } catch {
    return text;
  }
}

export type DemoAgentOptions = {
  port: number;
  host: string;
  /** Where the gate's journal lies. */
  dataDir: string;
  observe?: GateObserver | undefined;
};

/** Serves the demo agent on its own port. Rejects with a message that names the port when it is taken. */
export function startDemoAgent(
  sandbox: SandboxFile,
  { port, host, dataDir, observe }: DemoAgentOptions,
): Promise<() => Promise<void>> {
  const { port: servicePort } = new URL(sandbox.url);
  const baseUrl = `http://127.0.0.1:${servicePort || 80}`;
  const { apiKey } = sandbox.builder;
  const payments = Payments.getInstance({ apiKey, environment: "sandbox", baseUrl });
  const queue = createDurableQueue(createFileStore({ folder: join(dataDir, "settlements") }));
  const app = createDemoAgent(payments, sandbox, { queue, ...(observe && { observe }) });
  if (sandbox.lab) {
    const folder = join(dataDir, "lab-settlements");
    app.route("/", createLabAgent({ lab: sandbox.lab, baseUrl, folder }));
  }
  return new Promise((started, failed) => {
    const server = serve({ fetch: app.fetch, port, hostname: host }, () => {
      started(
        () =>
          new Promise((done) => {
            (server as Server).closeAllConnections();
            server.close(() => done());
          }),
      );
    });
    server.on("error", (cause: NodeJS.ErrnoException) => {
      const text = `Port ${port} for the demo agent is taken. Set AGENT_PORT to a free one.`;
      failed(cause.code === "EADDRINUSE" ? new Error(text, { cause }) : cause);
    });
  });
}
