import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { expect, test } from "vitest";
import { readDatabaseFault } from "../faults.ts";
import { NoConnection, openClient } from "./no-connection.ts";
import { openPools } from "./pools.ts";

test("a peer that refuses TLS and keeps the connection open is given up at once", async () => {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => {});
    socket.once("data", () => socket.write("N"));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const url = `postgres://a:b@127.0.0.1:${port}/c?sslmode=require`;
  const opened = openClient({ connectionString: url, connectionTimeoutMillis: 1_000 });
  await expect(opened).rejects.toThrow(NoConnection);
  for (const socket of sockets) socket.destroy();
  server.close();
}, 5_000);

test("a database whose Unix socket is gone is down", async () => {
  const pools = openPools({ url: `postgres://a@${encodeURIComponent("/nowhere")}/b` });
  const asked = pools.for("money").query("select 1");
  const cause = await asked.catch((error: unknown) => error);
  expect(readDatabaseFault(cause)).toBe("down");
  await pools.close();
});
