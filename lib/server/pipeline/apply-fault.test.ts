import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { expect, onTestFinished, test, vi } from "vitest";
import { brokenStream, lostReply } from "./apply-fault.ts";

test("a lost response breaks the connection; it is no answer of the service", async () => {
  const log = vi.spyOn(console, "error").mockImplementation(() => {});
  const listener = getRequestListener(() => new Response(brokenStream(lostReply())), {
    overrideGlobalObjects: false,
  });
  const server = createServer((request, response) => void listener(request, response));
  onTestFinished(() => {
    log.mockRestore();
    server.close();
  });
  server.listen(0);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}/`);
  expect(response.status).toBe(200);
  await expect(response.text()).rejects.toThrow("terminated");
});
