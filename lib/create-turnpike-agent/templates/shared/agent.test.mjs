import assert from "node:assert/strict";
import { test } from "node:test";
import { pay } from "./pay.mjs";
import { url } from "./start-agent.mjs";

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
