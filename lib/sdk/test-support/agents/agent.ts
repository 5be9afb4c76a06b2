import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Payments } from "../../client/payments.ts";
import type { GateOptions } from "../../gate/gate-options.ts";
import type { Payment } from "../../gate/payment.ts";
import type { RouteMap } from "../../gate/routes.ts";

/** The request an agent received, in any framework. */
export type Asked = { headers: Headers; text: string; payment: Payment | undefined };

/** Its answer: whole, or in pieces. */
export type Reply = {
  status?: number;
  headers?: Record<string, string | string[]>;
  body?: string | AsyncIterable<string | Uint8Array>;
};

export type AgentWork = (asked: Asked) => Reply | Promise<Reply>;

/** An agent behind the gate: every route runs `work`, which a test may replace. */
export type AgentParts = {
  payments: Payments;
  routes: RouteMap;
  options: GateOptions;
  work: AgentWork;
};

export type RunningAgent = {
  origin: string;
  close: () => Promise<void>;
  /** How many clients are connected. */
  connections: () => number;
};

/** The routes each agent serves. */
export const AGENT_ROUTES = [
  ["GET", "/ask"],
  ["POST", "/ask"],
  ["POST", "/runs/:id/wait"],
  ["GET", "/free"],
] as const;

export async function listen(server: Server): Promise<RunningAgent> {
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return runningAgent(server);
}

export function runningAgent(server: Server): RunningAgent {
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    connections: countConnections(server),
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

export function countConnections(server: Server): () => number {
  let open = 0;
  server.on("connection", (socket) => {
    open += 1;
    socket.on("close", () => (open -= 1));
  });
  return () => open;
}

/** A reply as a Web response. */
export function toResponse({ status = 200, headers = {}, body = "" }: Reply): Response {
  const own = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    for (const item of Array.isArray(value) ? value : [value]) own.append(name, item);
  }
  const isBodiless = [204, 304].includes(status);
  const content = typeof body === "string" ? body : streamOf(body);
  return new Response(isBodiless ? null : content, { status, headers: own });
}

export const toBytes = (piece: string | Uint8Array): Uint8Array =>
  typeof piece === "string" ? new TextEncoder().encode(piece) : piece;

function streamOf(pieces: AsyncIterable<string | Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = pieces[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await iterator.next();
        if (done) controller.close();
        else controller.enqueue(toBytes(value));
      },
      cancel: () => void iterator.return?.(),
    },
    { highWaterMark: 0 },
  );
}
