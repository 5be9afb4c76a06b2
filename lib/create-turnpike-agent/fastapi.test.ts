import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { freePort } from "@/lib/testing/free-port.ts";

const { NODE_OPTIONS: _options, ...env } = process.env;
const python = ["python3", "/usr/bin/python3"].find(
  (name) => spawnSync(name, ["-c", "import fastapi, uvicorn"]).status === 0,
);

/** What the service answers to each verify. */
let verify = (response: ServerResponse) => answer(response, 200, {});
const answer = (response: ServerResponse, status: number, body: unknown) =>
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));

const service = createServer((request, response) => {
  if (request.url?.endsWith("/x402/verify")) return verify(response);
  if (request.url?.endsWith("/x402/supported"))
    return answer(response, 200, { kinds: [{ scheme: "svc:test", network: "eip155:1" }] });
  answer(response, 200, { scheme: "svc:test" });
});

describe.skipIf(!python)("the agent in Python", () => {
  let agent: ChildProcess;
  let url: string;
  beforeAll(async () => {
    await once(service.listen(0, "127.0.0.1"), "listening");
    const port = await freePort();
    url = `http://127.0.0.1:${port}/ask`;
    agent = spawn(python ?? "", ["-m", "uvicorn", "main:app", "--port", String(port)], {
      cwd: join(import.meta.dirname, "templates/fastapi"),
      env: {
        ...env,
        PYTHONDONTWRITEBYTECODE: "1",
        TURNPIKE_URL: `http://127.0.0.1:${(service.address() as AddressInfo).port}`,
        TURNPIKE_API_KEY: "svc-x",
        TURNPIKE_PLAN_ID: "42",
        TURNPIKE_AGENT_ID: "7",
      },
      stdio: "ignore",
    });
    await vi.waitFor(() => fetch(url), { timeout: 30_000 });
  }, 40_000);
  afterAll(() => {
    agent.kill();
    service.close();
  });

  const ask = (token: string) =>
    fetch(url, { method: "POST", headers: { "payment-signature": token } });

  test("answers 402 to a token that can't be read", async () => {
    verify = (response) => answer(response, 422, { code: "invalid_input" });
    const { status, headers } = await ask("x".repeat(30_000));
    const required = JSON.parse(atob(headers.get("payment-required") ?? "e30="));
    expect([status, required.error]).toEqual([402, "invalid_token"]);
  });

  test.each<[string, (response: ServerResponse) => unknown]>([
    ["is away", (response) => response.destroy()],
    ["fails", (response) => answer(response, 503, { code: "unavailable" })],
    ["refuses the agent's key", (response) => answer(response, 401, { code: "unauthorized" })],
  ])("answers 503 and does no work while the service %s", async (_, failing) => {
    verify = (response) => {
      failing(response);
      return response;
    };
    const { status, headers } = await ask("token");
    expect([status, headers.get("retry-after")]).toEqual([503, "5"]);
  });
});
