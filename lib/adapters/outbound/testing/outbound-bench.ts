import { createServer, type RequestListener, type Server } from "node:http";
import { type AddressInfo, connect as connectSocket, type Socket } from "node:net";
import type { OutboundEvent, OutboundRequest } from "@/lib/domain/outbound-ports.ts";
import type { OutboundPolicy } from "../check-url.ts";
import type { Place } from "../open-socket.ts";
import { createOutbound, type OUTBOUND_LIMITS } from "../outbound.ts";

export const PUBLIC_ADDRESS = "93.184.215.14";
export const STRICT: OutboundPolicy = { allowsHttp: true, loopback: { allows: "nothing" } };
export const OPEN: OutboundPolicy = {
  allowsHttp: true,
  loopback: { allows: "all", except: new Set() },
};

export type Seen = { events: OutboundEvent[]; last: OutboundEvent; text: string };

/** All events of a request, and the response text. */
export async function collect(events: AsyncIterable<OutboundEvent>): Promise<Seen> {
  const all: OutboundEvent[] = [];
  for await (const event of events) all.push(event);
  const bytes = all.flatMap((event) => (event.type === "chunk" ? [event.bytes] : []));
  return {
    events: all,
    last: all.at(-1) as OutboundEvent,
    text: Buffer.concat(bytes).toString("utf8"),
  };
}

/** A local server on a free port that counts connections. */
export async function listen(handle: RequestListener | Server) {
  const server = typeof handle === "function" ? createServer(handle) : handle;
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on("connection", (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    connections: () => connections,
    open: () => sockets.size,
    close: () =>
      new Promise<void>((done) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => done());
      }),
  };
}

type SpyOptions = {
  policy?: OutboundPolicy;
  names?: Readonly<Record<string, readonly string[]>>;
  resolve?: (host: string) => Promise<string[]>;
  /** Where connections to public addresses are redirected. */
  port?: number;
  limits?: Partial<typeof OUTBOUND_LIMITS>;
  /** A false peer address for the socket to report. */
  remoteOf?: (place: Place) => string;
};

/** An outbound client with an invented resolver that records every connection. */
export function spyOutbound(options: SpyOptions = {}) {
  const connected: string[] = [];
  const resolved: string[] = [];
  const outbound = createOutbound({
    policy: options.policy ?? STRICT,
    userAgent: "Test/1",
    ...(options.limits && { limits: options.limits }),
    resolve: async (host) => {
      resolved.push(host);
      if (options.resolve) return options.resolve(host);
      return [...(options.names?.[host] ?? [PUBLIC_ADDRESS])];
    },
    connect: (place) =>
      new Promise((opened, failed) => {
        connected.push(place.address);
        const socket = connectSocket(options.port ?? 1, "127.0.0.1");
        const remoteAddress = options.remoteOf?.(place) ?? place.address;
        socket.once("error", failed);
        socket.once("connect", () => {
          Object.defineProperty(socket, "remoteAddress", { value: remoteAddress });
          opened(socket);
        });
      }),
  });
  const send = (request: Partial<OutboundRequest> & { url: string }) =>
    collect(outbound.send({ account: "0x1", method: "GET", ...request }));
  return { outbound, send, connected, resolved };
}
