import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { stopService } from "./boot-sandbox.ts";

test("a sandbox that a signal has killed is stopped at once", async () => {
  const service = spawn(process.execPath, ["-e", "setInterval(() => {}, 1_000)"]);
  service.kill("SIGKILL");
  await once(service, "exit");
  expect(service.exitCode).toBeNull();
  await stopService(service);
});
