import { setTimeout as sleep } from "node:timers/promises";
import type { HttpBindings } from "@hono/node-server";
import { type FacilitatorClient, FacilitatorResponseError } from "@x402/core/server";
import { ExactEvmScheme } from "@x402/evm/exact/server";
import { paymentMiddleware, x402ResourceServer } from "@x402/hono";
import { Hono } from "hono";
import { EXACT_PRICE } from "@/lib/playground/exact-faults.ts";
import { EXACT_PATHS, type ExactPath } from "@/lib/playground/lab-places.ts";
import type { ForeignSeller } from "./foreign-agents.ts";

type Settle = FacilitatorClient["settle"];
type Payload = Parameters<Settle>[0];
type Settled = Awaited<ReturnType<Settle>>;

const NETWORK = "eip155:84532";
const OFFERED_SECS = 60;
/** As long as a seller would wait for its facilitator. */
const SILENT_MS = 1_500;
/** More test dollars than any account has. */
const TOO_MUCH = 2_000_000_000_000n;
const ELSEWHERE = `0x${"e5".repeat(20)}`;

/** What the seller's facilitator does wrong, by path. */
const FAULTS: Partial<Record<ExactPath, (settle: Settle) => Settle>> = {
  denies: (settle) => async (payload, requirements) => ({
    ...(await settle(payload, requirements)),
    ...{ success: false, transaction: "" },
    errorReason: "unexpected_settle_error",
  }),
  forgets: (settle) => async (payload, requirements) => {
    await settle(payload, requirements);
    throw new FacilitatorResponseError("The facilitator's response was lost on purpose.");
  },
  amount: (settle) => (payload, requirements) => {
    const amount = String(EXACT_PRICE * 100n);
    return settle(resigned(payload, { value: amount }), { ...requirements, amount });
  },
  recipient: (settle) => (payload, requirements) =>
    settle(resigned(payload, { to: ELSEWHERE }), { ...requirements, payTo: ELSEWHERE }),
  pretends:
    () =>
    async (_, { network }): Promise<Settled> => ({
      ...{ success: true, network },
      transaction: `0x${"ab".repeat(32)}`,
    }),
  twice: (settle) => async (payload, requirements) => {
    const collect = () => settle(payload, requirements);
    const [first, second] = await Promise.all([collect(), collect()]);
    const third = await collect();
    return [first, second, third].find(({ success }) => success) ?? first;
  },
};

/** A payment with other terms under the signature of its payer. */
function resigned(payload: Payload, changes: object): Payload {
  const { authorization, ...signed } = payload.payload as { authorization: object };
  return { ...payload, payload: { ...signed, authorization: { ...authorization, ...changes } } };
}

function misbehaving(facilitator: FacilitatorClient): FacilitatorClient {
  const settle: Settle = (...asked) => facilitator.settle(...asked);
  return {
    getSupported: () => facilitator.getSupported(),
    async verify(payload, requirements) {
      if (pathOf(payload) === "silent") {
        await sleep(SILENT_MS);
        throw new FacilitatorResponseError("The facilitator did not respond in time.");
      }
      return facilitator.verify(payload, requirements);
    },
    async settle(payload, requirements) {
      const path = pathOf(payload);
      return ((path && FAULTS[path]?.(settle)) || settle)(payload, requirements);
    },
  };
}

const NAMES = Object.keys(EXACT_PATHS) as ExactPath[];

function pathOf({ resource }: Payload): ExactPath | undefined {
  const { pathname } = new URL(resource?.url ?? "http://localhost");
  return NAMES.find((name) => EXACT_PATHS[name] === pathname);
}

const AMOUNTS: Partial<Record<ExactPath, bigint>> = { overpriced: TOO_MUCH };

function routeOf(name: ExactPath, { usdc, payTo }: Omit<ForeignSeller, "facilitator">) {
  const amount = String(AMOUNTS[name] ?? EXACT_PRICE);
  const price = { amount, asset: usdc, extra: { name: "USDC", version: "2" } };
  const maxTimeoutSeconds = name === "brief" ? 10 : OFFERED_SECS;
  const accepts = { scheme: "exact", network: NETWORK, payTo, price, maxTimeoutSeconds } as const;
  return { accepts, description: "Fails on purpose.", mimeType: "application/json" };
}

/** The failure lab's seller by `exact`: the stock Hono middleware, with a facilitator or work that fails on each path. */
export function createExactLab(seller: ForeignSeller): Hono<{ Bindings: HttpBindings }> {
  const server = new x402ResourceServer(misbehaving(seller.facilitator));
  server.register(NETWORK, new ExactEvmScheme());
  const routes = NAMES.map((name) => [`POST ${EXACT_PATHS[name]}`, routeOf(name, seller)] as const);
  const app = new Hono<{ Bindings: HttpBindings }>();
  // Around the middleware: the payment is collected by then.
  app.use(EXACT_PATHS.drops, async (http, next) => {
    await next();
    if (http.res.ok) http.env.outgoing.destroy();
  });
  app.use(EXACT_PATHS.stalls, async (http, next) => {
    await next();
    if (http.res.ok) http.res = new Response(neverEnding(), http.res);
  });
  app.use(paymentMiddleware(Object.fromEntries(routes), server));
  app.post(EXACT_PATHS.fails, (http) => http.json({ error: "The seller failed on purpose." }, 500));
  return app.post("/lab/exact/*", (http) => http.json({ answer: "The failure lab answers." }));
}

/** A response that begins and is read until its client leaves. */
const neverEnding = () =>
  new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode("The answer begins")),
  });
