import {
  createDurableQueue,
  createFileStore,
  createGate,
  createMemoryQueue,
  type Gate,
  getFixedCreditsConfig,
  PaymentMiddleware,
  Payments,
  type RouteMap,
  X402_HEADERS,
} from "@turnpike/payments";
import { Hono } from "hono";
import {
  type FaultPlan,
  LAB_PATHS,
  type LabPath,
  pathOn,
  planOn,
  RAILS,
  type Rail,
} from "@/lib/playground/lab-places.ts";
import { gateKeyOf, type SandboxLab } from "./lab-terms.ts";

const SLOW_MS = 2_500;
const STREAM_PAUSE_MS = 120;
const WORDS = ["It", "came", "in", "pieces."];

type LabAgentOptions = {
  lab: SandboxLab;
  baseUrl: string;
  /** The folder of the gate's journal. */
  folder: string;
};

/** The failure lab's agents: each path fails in its own way behind a working gate. */
export function createLabAgent({ lab, baseUrl, folder }: LabAgentOptions): Hono {
  const apiKey = gateKeyOf(lab.builder);
  // A separate fetch per client: clients with the same fetch share their cached plans.
  const connect = () =>
    Payments.getInstance({
      apiKey,
      environment: "sandbox",
      baseUrl,
      fetch: (input, init) => fetch(input, init),
    });
  const app = new Hono();
  const queue = createDurableQueue(createFileStore({ folder }));
  app.use("/lab/*", PaymentMiddleware(connect(), routesOf(lab), { queue }));
  app.post(LAB_PATHS.card, (http) => http.json({ answer: "The failure lab answers." }));
  for (const rail of RAILS) {
    const at = (path: LabPath) => pathOn(rail, path);
    for (const path of [at("ask"), at("late"), at("once")]) {
      app.post(path, (http) => http.json({ answer: "The failure lab answers." }));
    }
    app.post(at("other"), (http) => http.json({ answer: "The other agent answers." }));
    app.post(at("fail"), (http) => http.json({ error: "The agent failed on purpose." }, 500));
    app.post(at("slow"), async (http) => {
      await pause(SLOW_MS);
      return http.json({ answer: `This took ${SLOW_MS} ms on purpose.` });
    });
    app.post(at("stream"), () => {
      return new Response(inPieces(), { headers: { "content-type": "text/event-stream" } });
    });
    const changing = createChangingGate(connect, lab, rail);
    app.post(at("changing"), (http) => changing(http.req.raw));
  }
  return app;
}

function routesOf({ plans, agentId, otherAgentId }: SandboxLab): RouteMap {
  const routes: RouteMap = {};
  const add = (rail: Rail, path: LabPath, plan: FaultPlan, mimeType = "application/json") => {
    routes[`POST ${pathOn(rail, path)}`] = {
      planId: plans[planOn(rail, plan)],
      agentId: path === "other" ? otherAgentId : agentId,
      description: "Fails on purpose.",
      mimeType,
    };
  };
  for (const rail of RAILS) {
    for (const path of ["ask", "fail", "slow", "other"] as const) add(rail, path, "calls");
    add(rail, "stream", "calls", "text/event-stream");
    add(rail, "late", "late");
    add(rail, "once", "once");
  }
  add("card", "card", "card");
  return routes;
}

function inPieces(): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const words = WORDS.values();
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = words.next();
      if (done) return controller.close();
      controller.enqueue(encoder.encode(`data: ${value}\n\n`));
      await pause(STREAM_PAUSE_MS);
    },
  });
}

/**
 * An agent whose plan becomes more expensive right after its gate has read it, so that its 402 still has the old price,
 * as any gate's does that caches a plan for five minutes.
 */
function createChangingGate(connect: () => Payments, lab: SandboxLab, rail: Rail) {
  const planId = lab.plans[planOn(rail, "changing")];
  const routes = { [`POST ${pathOn(rail, "changing")}`]: { planId, agentId: lab.agentId } };
  const work = () => Response.json({ answer: "Paid at the new price." });
  let gate: Gate | null = null;
  let change = Promise.resolve();

  async function raisePrice(request: Request): Promise<void> {
    // A separate client, so that the gate does not see the change.
    const { plans: own } = connect();
    const take = (credits: bigint) =>
      own.updatePlan(planId, { creditsConfig: getFixedCreditsConfig(100n, credits) });
    await take(1n);
    const fresh = createGate(connect(), routes, { queue: createMemoryQueue(), report: false });
    // The gate caches the plan for its first 402.
    await fresh(new Request(request.url, { method: "POST" }), work);
    await take(2n);
    gate = fresh;
  }

  return async (request: Request): Promise<Response> => {
    const isUnpaid = !request.headers.has(X402_HEADERS.PAYMENT_SIGNATURE);
    if (isUnpaid || !gate) {
      const changed = change.then(() => raisePrice(request));
      change = changed.catch(() => {});
      await changed;
    }
    return (gate as unknown as Gate)(request, work);
  };
}

const pause = (ms: number) => new Promise((wake) => setTimeout(wake, ms));
