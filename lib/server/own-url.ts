import type { Server } from "node:http";
import { type AddressInfo, isIPv6 } from "node:net";

/** Addresses that a server listens on to take every connection; this machine calls them by its loopback. */
const ANY: Record<string, string> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

/** Where processes of this machine call the service: not its public origin, which may be a proxy's or a tunnel's. */
export function ownUrl({ host, port }: { host: string; port: number }): string {
  const reached = ANY[host] ?? host;
  return `http://${isIPv6(reached) ? `[${reached}]` : reached}:${port}`;
}

type Place = {
  /** A free one by default. */
  port?: number | undefined;
  host?: string;
  /** What the port is for, and the setting that names it, where it may be taken. */
  use?: { name: string; setting: string };
};

/** Serves on a port of this machine; closing ends the connections too. */
export function serveOn(
  server: Server,
  { port = 0, host = "127.0.0.1", use }: Place = {},
): Promise<{ origin: string; close: () => Promise<void> }> {
  return new Promise((started, failed) => {
    server.on("error", (cause: NodeJS.ErrnoException) => {
      const text = `Port ${port} for ${use?.name} is taken. Set ${use?.setting} to a free one.`;
      failed(use && cause.code === "EADDRINUSE" ? new Error(text, { cause }) : cause);
    });
    server.listen(port, host, () => {
      const { port: bound } = server.address() as AddressInfo;
      const close = () =>
        new Promise<void>((done) => {
          server.close(() => done());
          server.closeAllConnections();
        });
      started({ origin: `http://${host}:${bound}`, close });
    });
  });
}
