import assert from "node:assert/strict";
import { test } from "node:test";
import { CALL, connect, pay } from "./pay.mjs";
import "./start-agent.mjs";

test("a call without payment is answered with what it costs", async () => {
  const client = await connect();
  const { isError, structuredContent } = await client.callTool(CALL);
  await client.close();
  assert.equal(isError, true);
  assert.ok(structuredContent.accepts.length > 0);
});

test("a paid call is answered, and charged", async () => {
  const { answer, receipt } = await pay();
  assert.equal(answer[0].text, "5");
  assert.equal(receipt.success, true);
});
