import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { after, before, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { CALL, connect, pay } from "./pay.mjs";

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
