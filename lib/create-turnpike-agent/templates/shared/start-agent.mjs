import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { before } from "node:test";
import { setTimeout } from "node:timers/promises";

const { PORT } = process.env;
/** Where the agent is while the tests run: it is started before them, and stopped after. */
export const url = `http://localhost:${PORT}`;
let agent;

const reach = () => fetch(url).catch(() => null);
const isRunning = () => agent.exitCode === null && agent.signalCode === null;

before(async () => {
  assert.equal(await reach(), null, `Port ${PORT} is in use; stop the agent first.`);
  // On Windows npm is a script of the shell, and there are no groups of processes.
  const isWindows = process.platform === "win32";
  agent = spawn("npm start", { stdio: "inherit", shell: true, detached: !isWindows });
  const stop = () =>
    isWindows
      ? spawnSync("taskkill", ["/pid", String(agent.pid), "/t", "/f"])
      : process.kill(-agent.pid);
  // The tests end without it, and it with them, also when they are interrupted.
  agent.unref();
  process.on("exit", () => isRunning() && stop());
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => process.exit(1));
  while (!(await reach())) {
    assert.ok(isRunning(), "the agent ended");
    await setTimeout(100);
  }
});
