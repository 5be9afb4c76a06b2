import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { freePort } from "@/lib/testing/free-port.ts";

const { NODE_OPTIONS: _options, ...env } = process.env;
const python = ["python3", "/usr/bin/python3"].find(
  (name) => spawnSync(name, ["-c", "import fastapi, uvicorn"]).status === 0,
);

/** Stands for a deployment: its status comes before its run is done, and long answers are compressed for who takes that. */
const DEPLOYMENT = `
from fastapi import Request
from fastapi.responses import StreamingResponse
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from main import app
import json

app.user_middleware.append(Middleware(GZipMiddleware))

@app.post("/runs/wait")
async def wait(request: Request):
    asked = await request.json()
    if asked["text"] == "throw": raise Exception("no luck")
    async def run():
        yield b"\\n"
        error = {"__error__": {"message": "x" * 2000}} if asked["text"] == "" else {}
        yield json.dumps({"words": len(asked["text"].split()), "sees": list(request.headers.keys()), **error}).encode()
    return StreamingResponse(run(), media_type="application/json")

@app.get("/ok")
def ok(): return {}
`;

describe.skipIf(!python)("the Python app of the LangGraph guide", () => {
  const named: [string, Record<string, unknown>][] = [];
  let settlement: object = { success: true };
  const service = createServer(async (request, response) => {
    const path = request.url?.split("/").at(-1) ?? "";
    const body =
      request.method === "POST" ? ((await json(request)) as Record<string, unknown>) : {};
    if (request.method === "POST") named.push([path, body]);
    const { agentRequestId } = body;
    const answers: Record<string, unknown> = {
      supported: { kinds: [{ scheme: "svc:test", network: "eip155:1" }] },
      verify: { isValid: true, agentRequestId },
      settle: settlement,
    };
    const plan = { scheme: "svc:test", registry: { credits: { minAmount: "2" } } };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(answers[path] ?? plan));
  });
  let folder: string;
  let agent: ChildProcess;
  let url: string;

  beforeAll(async () => {
    await once(service.listen(0, "127.0.0.1"), "listening");
    folder = await mkdtemp(join(tmpdir(), "turnpike-langgraph-"));
    const guide = await readFile("docs/guides/quickstart-langgraph.md", "utf8");
    const [, main = ""] = /```python file=main\.py\n(.*?)\n```/s.exec(guide) ?? [];
    await writeFile(join(folder, "main.py"), main);
    await writeFile(join(folder, "deployment.py"), DEPLOYMENT);
    const port = await freePort();
    const origin = `http://127.0.0.1:${port}`;
    url = `${origin}/runs/wait`;
    agent = spawn(python ?? "", ["-m", "uvicorn", "deployment:app", "--port", String(port)], {
      cwd: folder,
      env: {
        ...env,
        TURNPIKE_URL: `http://127.0.0.1:${(service.address() as AddressInfo).port}`,
        TURNPIKE_API_KEY: "svc-x",
        TURNPIKE_PLAN_ID: "42",
        TURNPIKE_AGENT_ID: "7",
      },
      stdio: "ignore",
    });
    await vi.waitFor(() => fetch(`${origin}/ok`), { timeout: 30_000 });
  }, 40_000);
  beforeEach(() => {
    named.length = 0;
    settlement = { success: true };
  });
  afterAll(async () => {
    agent.kill();
    service.close();
    await rm(folder, { recursive: true, force: true });
  });

  const ask = (text: string, token = "token") =>
    fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...(token && { "payment-signature": token }) },
      body: JSON.stringify({ text }),
    });
  const verbs = () => named.map(([verb]) => verb);
  const nameOf = (response: Response) => response.headers.get("payment-request-id");

  test("asks for payment, and for nothing on other routes", async () => {
    const response = await ask("two words", "");
    expect([response.status, (await response.json()).code]).toEqual([402, "token_missing"]);
    expect(response.headers.get("payment-required")).not.toBeNull();
    expect(verbs()).toEqual([]);
  });

  test("charges a run once, and answers with the receipt", async () => {
    const response = await ask("two words");
    expect(await response.json()).toMatchObject({ words: 2 });
    const receipt = JSON.parse(atob(response.headers.get("payment-response") ?? "e30="));
    expect(receipt).toEqual({ success: true });
    expect(verbs()).toEqual(["verify", "settle"]);
    expect(nameOf(response)).toBe(named[1]?.[1].agentRequestId);
  });

  test("hides the token from the run", async () => {
    const { sees } = await (await ask("two words")).json();
    expect(sees).not.toContain("payment-signature");
  });

  test.each([
    ["fails", "", 200],
    ["throws", "throw", 500],
  ])("charges nothing for a run that %s", async (_, text, status) => {
    const response = await ask(text);
    await response.text();
    expect([response.status, verbs()]).toEqual([status, ["verify", "release"]]);
  });

  test("withholds an answer that is not paid, and names its request", async () => {
    settlement = { success: false, errorReason: "insufficient_balance" };
    const response = await ask("two words");
    expect([response.status, await response.json()]).toEqual([402, {}]);
    expect(nameOf(response)).toBe(named[0]?.[1].agentRequestId);
    expect(response.headers.get("cache-control")).toContain("no-store");
  });
});
