import { Payments } from "../../client/payments.ts";
import type { GateOptions } from "../../gate/gate-options.ts";
import type { GateEvent, RequestEvent } from "../../gate/observe.ts";
import { createMemoryQueue } from "../../gate/queue/memory-queue.ts";
import type { RouteConfig } from "../../gate/routes.ts";
import { apiKeyOf, BUILDER, createFakeService, planOf } from "../fake-service.ts";
import type { AgentParts, AgentWork, Asked, RunningAgent } from "./agent.ts";
import { startExpressAgent, startFastifyAgent, startNodeAgent } from "./node-agents.ts";
import { startHonoAgent, startMountedApp, startNextAgent, startPaymentApp } from "./web-agents.ts";

/** Every adapter of the gate, and whether it can send trailers. */
export const ADAPTERS: Record<
  string,
  { start: (parts: AgentParts) => Promise<RunningAgent>; hasTrailers: boolean }
> = {
  Hono: { start: startHonoAgent, hasTrailers: true },
  "Express 5": { start: startExpressAgent, hasTrailers: true },
  "Fastify 5": { start: startFastifyAgent, hasTrailers: true },
  "Next route handler": { start: startNextAgent, hasTrailers: false },
  "Node http": { start: startNodeAgent, hasTrailers: true },
  "buildPaymentApp, mounted": { start: startMountedApp, hasTrailers: true },
  "buildPaymentApp, alone": { start: startPaymentApp, hasTrailers: true },
};

export type Stage = Awaited<ReturnType<typeof setStage>>;

/** An agent behind one adapter, with a fake service; `work` may be replaced at any time. */
export async function setStage(
  adapter: keyof typeof ADAPTERS,
  config: Partial<RouteConfig> = {},
  options: GateOptions = {},
) {
  const service = createFakeService([
    planOf("42"),
    planOf("43", { isCrypto: false }),
    planOf("44", { minAmount: 3n }),
  ]);
  const payments = Payments.getInstance({
    apiKey: apiKeyOf(BUILDER),
    baseUrl: "http://service.test",
    fetch: service.fetch,
    maxRetries: 0,
  });
  const errors: { message: string; fields: Record<string, unknown> }[] = [];
  const events: GateEvent[] = [];
  const asked: Asked[] = [];
  const queue = createMemoryQueue({ firstDelayMs: 1 });
  const stage = { work: (() => ({ body: "hello" })) as AgentWork };
  const route = { planId: "42", ...config };
  const { start } = ADAPTERS[adapter] as (typeof ADAPTERS)[string];
  const agent = await start({
    payments,
    routes: { "POST /ask": route, "GET /ask": route, "POST /runs/{id}/wait": route },
    options: {
      queue,
      report: false,
      logger: { error: (message, fields) => errors.push({ message, fields }) },
      observe: (event) => events.push(event),
      ...options,
    },
    work: (given) => {
      asked.push(given);
      return stage.work(given);
    },
  });
  const requestEvents = () =>
    events.filter((each): each is RequestEvent => each.type === "request");
  return Object.assign(stage, {
    ...agent,
    service,
    errors,
    events,
    asked,
    queue,
    /** The last request event. */
    lastRequest: () => requestEvents().at(-1),
    settled: () => service.called("settle").length,
    released: () => service.called("release").length,
  });
}
