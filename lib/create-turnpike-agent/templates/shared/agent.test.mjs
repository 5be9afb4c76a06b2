import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { after, before, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { pay } from "./pay.mjs";

const url = `http://localhost:${process.env.PORT}`;
let agent;

before(async () => {
  agent = spawn("npm", ["start"], { stdio: "inherit", detached: true });
  while (!(await fetch(url).catch(() => null))) {
    assert.equal(agent.exitCode, null, "the agent ended");
    await setTimeout(100);
  }
});
after(() => process.kill(-agent.pid));

test("a request without payment is answered with 402", async () => {
  const { status, headers } = await fetch(`${url}/ask`, { method: "POST" });
  assert.equal(status, 402);
  assert.ok(headers.get("payment-required"));
});

test("no other method gets the work without payment", async () => {
  const body = JSON.stringify({ text: "one two" });
  const headers = { "content-type": "application/json" };
  for (const method of ["PUT", "PATCH", "DELETE"]) {
    const { ok } = await fetch(`${url}/ask`, { method, headers, body });
    assert.equal(ok, false, method);
  }
});

test("a paid request is answered, and charged", async () => {
  const { status, answer, receipt } = await pay();
  assert.equal(status, 200, answer);
  assert.equal(receipt.success, true);
});
