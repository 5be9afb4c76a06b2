import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A TCP proxy in front of a database, as a load balancer or a network that fails. */
export type DatabaseProxy = {
  /** The database's address through the proxy. */
  url: string;
  /** Every open connection stays open and carries nothing more; later ones work. How many there were. */
  silence: () => number;
  /** Every connection, and every new one, stays open and carries nothing until `thaw`; then what waited arrives. */
  freeze: () => void;
  thaw: () => void;
  /** Ends every connection; new ones go to this port. */
  switchTo: (port: number) => void;
  stop: () => Promise<void>;
};

/**
 * Starts a {@link DatabaseProxy} on a free port of loopback.
 *
 * @example const proxy = await startDatabaseProxy(await cluster.createDatabase("silent"));
 */
export async function startDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl);
  const pairs = new Set<[Socket, Socket]>();
  const all = new Set<Socket>();
  let isFrozen = false;
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
    if (!isFrozen) carry(pair);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = new URL(databaseUrl);
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    silence() {
      const count = pairs.size;
      for (const pair of pairs) hush(pair);
      pairs.clear();
      return count;
    },
    freeze() {
      isFrozen = true;
      for (const pair of pairs) hush(pair);
    },
    thaw() {
      isFrozen = false;
      for (const pair of pairs) carry(pair);
    },
    switchTo(port) {
      target.port = String(port);
      for (const socket of all) socket.destroy();
    },
    async stop() {
      for (const socket of all) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

const carry = ([client, upstream]: [Socket, Socket]) => client.pipe(upstream).pipe(client);

function hush([client, upstream]: [Socket, Socket]): void {
  client.unpipe(upstream).pause();
  upstream.unpipe(client).pause();
}
