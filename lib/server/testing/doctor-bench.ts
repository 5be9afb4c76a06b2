import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { createGate, createMemoryQueue, type Gate, type RouteMap } from "@turnpike/payments";
import { getDynamicCreditsConfig, getFreePriceConfig } from "@turnpike/payments/protocol";
import { createOutbound } from "@/lib/adapters/outbound/outbound.ts";
import { OPEN } from "@/lib/adapters/outbound/testing/outbound-bench.ts";
import type { Outbound } from "@/lib/domain/outbound-ports.ts";
import { examineEndpoint } from "@/lib/probe/doctor/examine-endpoint.ts";
import type { CallService } from "@/lib/probe/doctor/payer.ts";
import type { DoctorEvent, DoctorReport } from "@/lib/probe/report/report.ts";
import { performAs } from "../pipeline/perform-as.ts";
import type { TestParty, TestService } from "./test-service.ts";

export type Handle = (request: Request) => Response | Promise<Response>;

/** A builder's agent on a separate port, its subscriber, and the doctor that examines it. */
export type DoctorBench = {
  builder: TestParty;
  subscriber: TestParty;
  planId: string;
  agentId: string;
  /** With its placeholder, as it is registered. */
  url: string;
  outbound: Outbound;
  /** The gate in front of work that answers JSON, or as told, and 400 to what is none. */
  gated: (route?: Partial<RouteMap[string] & object>, respond?: () => Response) => Handle;
  /** What the agent answers from now on. */
  answer: (handle: Handle) => void;
  /** The measured time of responses from now on, in ms; the machine's own speed does not count. */
  takeMs: (ms: number) => void;
  worked: () => number;
  balance: () => Promise<bigint>;
  examine: (options?: ExamineOptions) => Promise<Examined>;
  close: () => Promise<void>;
};

type ExamineOptions = {
  maxCredits?: bigint;
  url?: string;
  payer?: TestParty | null;
  /** Orders with test money, as a test customer's run does. */
  order?: (planId: string) => Promise<unknown>;
  signal?: AbortSignal;
  /** Stop listening when this step begins. */
  leaveAt?: string;
};
type Examined = { events: DoctorEvent[]; report: DoctorReport };

const quiet = { info: () => {}, warn: () => {}, error: () => {} };

export async function createDoctorBench(service: TestService): Promise<DoctorBench> {
  let handle: Handle = () => new Response("not yet", { status: 503 });
  const { origin, close } = await listen((request) => handle(request));
  const url = `${origin}/ask/:id`;
  const [builder, subscriber] = await Promise.all([service.party(), service.party()]);
  const { planId } = await builder.payments.plans.registerCreditsPlan(
    { name: "Starter" },
    getFreePriceConfig(),
    getDynamicCreditsConfig(1_000n, 1n, 5n),
  );
  const { agentId } = await builder.payments.agents.registerAgent(
    { name: "Reader" },
    {
      endpoints: [{ POST: url }],
      openEndpoints: ["/health"],
      agentDefinitionUrl: `${origin}/definition.json`,
    },
    [planId],
  );
  await subscriber.payments.plans.orderPlan(planId);

  let worked = 0;
  let latencyMs = 1;
  const outbound = timedBy(createOutbound({ policy: OPEN, userAgent: "Test/1" }), () => latencyMs);
  const gateWith = (route: Partial<RouteMap[string] & object>): Gate =>
    createGate(
      builder.payments,
      { "POST /ask/:id": { planId, agentId, credits: 1, ...route } } as RouteMap,
      { queue: createMemoryQueue({ firstDelayMs: 200 }), logger: quiet, report: false },
    );
  const work = async (request: Request, respond?: () => Response) => {
    const { pathname } = new URL(request.url);
    if (request.method === "OPTIONS") {
      const headers = {
        "access-control-allow-origin": "*",
        "access-control-allow-headers": "payment-signature, content-type",
      };
      return new Response(null, { status: 204, headers });
    }
    if (pathname === "/health") return Response.json({ ok: true });
    if (pathname === "/definition.json") return Response.json(definitionOf(origin));
    if (!pathname.startsWith("/ask/")) return new Response("nothing", { status: 404 });
    worked += 1;
    const text = await request.text();
    try {
      const got: unknown = JSON.parse(text);
      return respond?.() ?? Response.json({ got });
    } catch {
      return Response.json({ error: "That is not JSON." }, { status: 400 });
    }
  };
  const balance = async () =>
    BigInt((await subscriber.payments.plans.getPlanBalance(planId, subscriber.address)).balance);

  return {
    builder,
    subscriber,
    planId,
    agentId,
    url,
    outbound,
    gated(route = {}, respond) {
      const gate = gateWith(route);
      return (request) => gate(request, (inner) => work(inner, respond));
    },
    answer(next) {
      handle = next;
    },
    takeMs(ms) {
      latencyMs = ms;
    },
    worked: () => worked,
    balance,
    async examine(options = {}) {
      const { maxCredits, url: other = url, payer = subscriber, order, signal, leaveAt } = options;
      const call = callOf(service, payer);
      const events: DoctorEvent[] = [];
      const run = examineEndpoint({
        prober: {
          outbound,
          ports: service.ports,
          account: payer?.address ?? "0x1",
          ...(signal && { signal }),
        },
        endpoint: { verb: "POST", url: other, sample: '{"question":"Why?"}' },
        call,
        payer: payer && { account: payer.address, isSandbox: true, call, ...(order && { order }) },
        consent: maxCredits === undefined ? null : { planId, maxCredits },
      });
      for await (const event of run) {
        events.push(event);
        if (event.type === "progress" && event.words === leaveAt) break;
      }
      const last = events.at(-1);
      if (last?.type === "end") return { events, report: last.report };
      if (leaveAt) return { events, report: { findings: [] } as never };
      throw new Error("The examination had no end.");
    },
    close,
  };
}

/** An outbound client whose response times are given. */
const timedBy = (outbound: Outbound, latency: () => number): Outbound => ({
  async *send(request) {
    for await (const event of outbound.send(request)) {
      yield event.type === "headers" ? { ...event, ms: latency() } : event;
    }
  },
});

/** The service for a signed-in user, or without a session. */
export const callOf =
  (service: Pick<TestService, "pipeline">, party: TestParty | null): CallService =>
  (name, input) => {
    const caller = party && { account: party.address, keyId: null, isOperator: false };
    return performAs(service.pipeline, { caller }, name, input as never) as never;
  };

/** Serves on a free port of this machine. */
export function listen(fetch: Handle): Promise<{ origin: string; close: () => Promise<void> }> {
  return new Promise((started) => {
    const server = serve({ fetch, port: 0, hostname: "127.0.0.1" }, () => {
      const { port } = server.address() as AddressInfo;
      started({
        origin: `http://127.0.0.1:${port}`,
        close: () =>
          new Promise((done) => {
            (server as Server).closeAllConnections();
            server.close(() => done());
          }),
      });
    });
  });
}

const definitionOf = (origin: string) => ({
  openapi: "3.1.0",
  info: { title: "Reader", version: "1" },
  servers: [{ url: origin }],
  paths: {
    "/ask/{id}": {
      post: {
        parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
        responses: { 200: { description: "Done.", content: { "application/json": {} } } },
      },
    },
    "/health": { get: { responses: { 200: { description: "Well." } } } },
  },
});
