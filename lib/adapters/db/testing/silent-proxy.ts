import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A TCP proxy in front of a database whose connections can go silent, as when a firewall forgets them. */
export type SilentProxy = {
  /** The database's address through the proxy. */
  url: string;
  /** Every open connection stays open and carries nothing more; later ones work. How many there were. */
  silence: () => number;
  stop: () => Promise<void>;
};

/**
 * Starts a {@link SilentProxy} on a free port of loopback.
 *
 * @example const proxy = await startSilentProxy(await cluster.createDatabase("silent"));
 */
export async function startSilentProxy(databaseUrl: string): Promise<SilentProxy> {
  const target = new URL(databaseUrl);
  const pairs = new Set<[Socket, Socket]>();
  const all = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    const pair: [Socket, Socket] = [client, upstream];
    pairs.add(pair);
    for (const socket of pair) {
      all.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        all.delete(socket);
        // A silent connection says nothing of its end, either.
        if (!pairs.delete(pair)) return;
        for (const each of pair) each.destroy();
      });
    }
    client.pipe(upstream).pipe(client);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = new URL(databaseUrl);
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    silence() {
      const count = pairs.size;
      for (const [client, upstream] of pairs) {
        client.unpipe(upstream).pause();
        upstream.unpipe(client).pause();
      }
      pairs.clear();
      return count;
    },
    async stop() {
      for (const socket of all) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
