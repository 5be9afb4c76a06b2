import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { freePort } from "@/lib/testing/free-port.ts";

const { NODE_OPTIONS: _options, ...env } = process.env;
const python = ["python3", "/usr/bin/python3"].find(
  (name) => spawnSync(name, ["-c", "import fastapi, uvicorn"]).status === 0,
);

/** What the service answers to each verify. */
let verify = (response: ServerResponse, _body: Body) => answer(response, 200, {});
type Body = { agentRequestId?: string; attemptId?: string; maxAmount?: string };
/** The credits per call of the plan. */
let price = "2";
let isSettleLost = false;
/** The calls that name a request, by their path. */
const named: [string, Body][] = [];
const answer = (response: ServerResponse, status: number, body: unknown) =>
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));

const service = createServer(async (request, response) => {
  if (request.method === "POST") {
    const body = (await json(request)) as Body;
    named.push([request.url?.split("/").at(-1) ?? "", body]);
    if (request.url?.endsWith("/x402/verify")) return verify(response, body);
    if (isSettleLost) return response.destroy();
  }
  if (request.url?.endsWith("/x402/supported"))
    return answer(response, 200, { kinds: [{ scheme: "svc:test", network: "eip155:1" }] });
  const registry = { credits: { minAmount: price } };
  answer(response, 200, { scheme: "svc:test", registry, success: true });
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

  const ask = (token: string, { key, text = "two words" }: { key?: string; text?: string } = {}) =>
    fetch(url, {
      method: "POST",
      headers: {
        "payment-signature": token,
        "content-type": "application/json",
        ...(key && { "idempotency-key": key }),
      },
      body: JSON.stringify({ text }),
    });
  const allow = (response: ServerResponse, { agentRequestId }: Body) =>
    answer(response, 200, { isValid: true, agentRequestId });

  test("answers 402 to a token that can't be read", async () => {
    verify = (response) =>
      answer(response, 422, { code: "invalid_input", message: "x402AccessToken is too long." });
    const { status, headers } = await ask("x".repeat(30_000));
    const required = JSON.parse(atob(headers.get("payment-required") ?? "e30="));
    expect([status, required.error]).toEqual([402, "invalid_token"]);
  });

  test.each<[string, (response: ServerResponse) => unknown]>([
    ["is away", (response) => response.destroy()],
    ["fails", (response) => answer(response, 503, { code: "unavailable" })],
    [
      "breaks off",
      (response) => {
        response.writeHead(200, { "content-length": "100" }).write("{");
        setTimeout(() => response.destroy(), 50);
      },
    ],
    ["is behind a proxy that answers itself", (response) => response.end("<html>")],
    ["refuses the agent's key", (response) => answer(response, 401, { code: "unauthorized" })],
  ])("answers 503 and does no work while the service %s", async (_, failing) => {
    verify = (response) => {
      failing(response);
      return response;
    };
    const response = await ask("token");
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(await response.json()).toMatchObject({ code: "unavailable", retryable: true });
  });

  test("names each request before it reserves, and settles it under that name", async () => {
    verify = (response, { agentRequestId }) =>
      answer(response, 200, {
        isValid: true,
        agentRequestId: agentRequestId ?? "req_of_the_service",
      });
    named.length = 0;
    await ask("token");
    await ask("token");
    const ids = named.map(([path, { agentRequestId }]) => [path, agentRequestId]);
    const id = expect.stringMatching(/^req_[0-9a-f]{48}$/);
    expect(ids).toEqual([
      ["verify", id],
      ["settle", ids[0]?.[1]],
      ["verify", id],
      ["settle", ids[2]?.[1]],
    ]);
    expect(ids[2]).not.toEqual(ids[0]);
  });

  test("gives a request with the same key, token and body the same name", async () => {
    verify = allow;
    const nameOf = async (token: string, options: { key?: string; text?: string }) => {
      named.length = 0;
      const { headers } = await ask(token, options);
      expect(headers.get("payment-request-id")).toBe(named[0]?.[1].agentRequestId);
      return headers.get("payment-request-id");
    };
    const first = await nameOf("token", { key: "k" });
    expect(await nameOf("token", { key: "k" })).toBe(first);
    const others = [
      await nameOf("token", { key: "other" }),
      await nameOf("other", { key: "k" }),
      await nameOf("token", { key: "k", text: "other" }),
      await nameOf("token", {}),
    ];
    expect(new Set([first, ...others]).size).toBe(5);
  });

  test.each<[string, typeof verify]>([
    [
      "is paid",
      (response) => answer(response, 409, { code: "idempotency_conflict", message: "Settled." }),
    ],
    [
      "is under way",
      (response, { agentRequestId }) =>
        answer(response, 200, { isValid: true, isRepeat: true, agentRequestId }),
    ],
  ])("does no work again for a request that %s", async (_, answering) => {
    verify = answering;
    named.length = 0;
    const { status, headers } = await ask("token", { key: "k" });
    expect([status, named.map(([path]) => path)]).toEqual([409, ["verify"]]);
    expect(headers.get("payment-request-id")).toBe(named[0]?.[1].agentRequestId);
  });

  test("names the request whose settlement has no answer", async () => {
    verify = allow;
    isSettleLost = true;
    const { status, headers } = await ask("token");
    isSettleLost = false;
    expect([status, headers.has("payment-response")]).toEqual([200, false]);
    expect(headers.get("payment-request-id")).toMatch(/^req_/);
  }, 20_000);

  test("passes on why a payment is refused, and where a person approves it", async () => {
    const approval = { approvalId: "a", url: "https://turnpike.test/approvals/a" };
    const refusal = { cause: "pending_approval", approval };
    verify = (response) =>
      answer(response, 200, { isValid: false, invalidReason: "insufficient_balance", ...refusal });
    const response = await ask("token");
    const required = JSON.parse(atob(response.headers.get("payment-required") ?? "e30="));
    expect(response.status).toBe(402);
    expect(required.extensions.refusal.info).toEqual(refusal);
    expect(await response.json()).toMatchObject(refusal);
  });

  test("repeats a verify whose answer is lost, under the same name", async () => {
    let isLost = true;
    verify = (response, { agentRequestId }) => {
      if (isLost) response.destroy();
      else answer(response, 200, { isValid: true, agentRequestId });
      isLost = false;
      return response;
    };
    named.length = 0;
    expect((await ask("token")).status).toBe(200);
    expect(named.map(([path]) => path)).toEqual(["verify", "verify", "settle"]);
    expect(new Set(named.map(([, { agentRequestId }]) => agentRequestId)).size).toBe(1);
    const [first, again] = named.map(([, { attemptId }]) => attemptId);
    expect([first, again]).toEqual([expect.stringMatching(/^try_[0-9a-f]{32}$/), first]);
  });

  test("does no work for a request that another process reserved while its verify was lost", async () => {
    verify = (response, { agentRequestId }) =>
      named.length === 1
        ? response.destroy()
        : answer(response, 200, { isValid: true, isRepeat: true, agentRequestId });
    named.length = 0;
    expect((await ask("token", { key: "k" })).status).toBe(409);
    expect(named.map(([path]) => path)).toEqual(["verify", "verify"]);
  });

  test.each([
    ["insufficient_balance", false],
    ["expired_token", true],
  ])("says in a 402's body what a client goes by: %s", async (invalidReason, retryable) => {
    verify = (response) => answer(response, 200, { isValid: false, invalidReason });
    const response = await ask("token");
    expect([response.status, await response.json()]).toEqual([
      402,
      expect.objectContaining({ code: invalidReason, retryable }),
    ]);
  });

  test("charges the plan's price, and reads it again once it has changed", async () => {
    verify = (response, { agentRequestId, maxAmount }) =>
      maxAmount === price
        ? answer(response, 200, { isValid: true, agentRequestId })
        : answer(response, 422, { code: "invalid_amount", message: `It costs ${price}.` });
    named.length = 0;
    expect((await ask("token")).status).toBe(200);
    price = "3";
    expect((await ask("token")).status).toBe(200);
    expect(named.map(([path, { maxAmount }]) => [path, maxAmount])).toEqual([
      ["verify", "2"],
      ["settle", "2"],
      ["verify", "2"],
      ["verify", "3"],
      ["settle", "3"],
    ]);
    const required = JSON.parse(atob((await ask("")).headers.get("payment-required") ?? "e30="));
    expect(required.accepts[0].amount).toBe("3");
  });
});
