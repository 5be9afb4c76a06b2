import type { IncomingMessage, ServerResponse } from "node:http";
import {
  encodeHeader,
  getCryptoPriceConfig,
  getFiatPriceConfig,
  getFixedCreditsConfig,
  type Payments,
} from "@turnpike/payments";
import { type AgentServer, asCardOffer, askForPayment, serveGated } from "./agent-servers.ts";
import { clientOf, readSandbox, type Sandbox } from "./sandbox-file.ts";

export type Kind = "crypto" | "card";
/** A seller with an agent, a buyer, and three plans of one rail. */
export type World = {
  kind: Kind;
  sandbox: Sandbox;
  seller: Payments;
  buyer: Payments;
  /** Ordered with credits, not ordered, and another plan of the seller. */
  plans: { owned: string; fresh: string; other: string };
  names: { owned: string; fresh: string; other: string };
  agent: AgentServer;
};

/** A seller's agent: correct behind its gate, and on other paths faulty in one way when a token is sent. */
function serve(seller: Payments, kind: Kind, plans: World["plans"]): Promise<AgentServer> {
  const gated = { planId: plans.owned, credits: 1 };
  const routes = {
    "POST /sound": gated,
    "POST /fails": gated,
    "POST /refuses": gated,
    "POST /stream": gated,
    "POST /fresh": { planId: plans.fresh, credits: 1 },
  };
  return serveGated(seller, routes, (request, response) => answer(request, response, kind, plans));
}

function answer(
  request: IncomingMessage,
  response: ServerResponse,
  kind: Kind,
  plans: World["plans"],
): void {
  const path = request.url ?? "";
  const say = (status: number, headers: Record<string, string> = {}) =>
    response.writeHead(status, headers).end("{}");
  if (path === "/sound" || path === "/fresh") return void say(200);
  if (path === "/fails") return void say(500);
  if (path === "/refuses") return void say(422);
  if (path === "/stream") {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write("data: one\n\n");
    setTimeout(() => response.end("data: two\n\n"), 100);
    return;
  }
  if (!request.headers["payment-signature"] || path === "/again") {
    const change = kind === "card" ? { change: asCardOffer } : {};
    askForPayment(request, response, { planId: plans.owned, ...change });
    return;
  }
  switch (path) {
    case "/denied":
      return void say(401);
    case "/broken":
      return void say(500);
    case "/unavailable":
      return void say(503, { "retry-after": "1" });
    case "/dropped":
      return void request.socket.destroy();
    case "/refused-receipt": {
      const error = "insufficient_balance";
      const message = "Not enough credits";
      const receipt = {
        success: false,
        errorReason: error,
        errorMessage: message,
        transaction: "",
        network: "eip155:84532",
        error,
      } as const;
      return void say(200, { "payment-response": encodeHeader(receipt) });
    }
    case "/garbled-receipt":
      return void say(200, { "payment-response": "%%%" });
    default:
      return void say(200);
  }
}

export async function buildWorld(kind: Kind): Promise<World> {
  const sandbox = await readSandbox();
  const seller = clientOf(sandbox.lab.builder);
  const buyer = clientOf(sandbox.subscriber);
  const { address } = sandbox.lab.builder;
  const price =
    kind === "card"
      ? getFiatPriceConfig(5_000_000n, address, "USD")
      : getCryptoPriceConfig(1_000_000n, address, sandbox.chain.contracts.usdc);
  const names = {
    owned: `Outcomes by ${kind}`,
    fresh: `Not ordered by ${kind}`,
    other: `Another by ${kind}`,
  };
  const register = async (name: string) => {
    const terms = [{ name }, price, getFixedCreditsConfig(50n, 1n), { state: "unlisted" }] as const;
    return (await seller.plans.registerCreditsPlan(...terms)).planId;
  };
  const plans = {
    owned: await register(names.owned),
    fresh: await register(names.fresh),
    other: await register(names.other),
  };
  await buyer.plans.orderPlan(plans.owned);
  const agent = await serve(seller, kind, plans);
  return { kind, sandbox, seller, buyer, plans, names, agent };
}
