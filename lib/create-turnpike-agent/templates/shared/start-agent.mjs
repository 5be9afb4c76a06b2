import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { after, before } from "node:test";
import { setTimeout } from "node:timers/promises";

const { PORT } = process.env;
/** Where the agent is while the tests run: it is started before them, and stopped after. */
export const url = `http://localhost:${PORT}`;
let agent;

const reach = () => fetch(url).catch(() => null);

before(async () => {
  assert.equal(await reach(), null, `Port ${PORT} is in use; stop the agent first.`);
  agent = spawn("npm", ["start"], { stdio: "inherit", detached: true });
  while (!(await reach())) {
    assert.equal(agent.exitCode, null, "the agent ended");
    await setTimeout(100);
  }
});
after(() => agent?.exitCode === null && process.kill(-agent.pid));
