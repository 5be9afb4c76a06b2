import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { after, before } from "node:test";
import { setTimeout } from "node:timers/promises";

/** Where the agent is while the tests run: it is started before them, and stopped after. */
export const url = `http://localhost:${process.env.PORT}`;
let agent;

before(async () => {
  agent = spawn("npm", ["start"], { stdio: "inherit", detached: true });
  while (!(await fetch(url).catch(() => null))) {
    assert.equal(agent.exitCode, null, "the agent ended");
    await setTimeout(100);
  }
});
after(() => process.kill(-agent.pid));
