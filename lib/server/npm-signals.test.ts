import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, expect, test } from "vitest";

const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as {
  scripts: Record<string, string>;
};
const folder = mkdtempSync(join(tmpdir(), "turnpike-npm-"));
const running: ChildProcess[] = [];
afterAll(() => {
  for (const child of running) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

/** The script of our package.json, with a small program in the place of the service. */
function writePackage(name: string): void {
  writeFileSync(
    join(folder, "program.mjs"),
    `import { ignoreRepeatedSignals } from ${JSON.stringify(resolve("scripts/repeated-signals.mjs"))};
     ignoreRepeatedSignals(process);
     let stops = 0;
     const stop = () => {
       stops += 1;
       if (stops > 1) process.exit(130);
       setTimeout(() => { console.log("drained"); process.exit(7); }, 400);
     };
     process.on("SIGINT", stop);
     process.on("SIGTERM", stop);
     setInterval(() => {}, 1000);
     console.log("up");`,
  );
  const script = scripts[name]?.replaceAll("scripts/start.mjs", "program.mjs");
  writeFileSync(join(folder, "package.json"), JSON.stringify({ scripts: { [name]: script } }));
}

async function start(name: string) {
  writePackage(name);
  const child = spawn("npm", ["run", "-s", name], { cwd: folder, detached: true });
  running.push(child);
  let said = "";
  child.stdout.on("data", (chunk) => {
    said += chunk;
  });
  while (!said.includes("up")) await once(child.stdout, "data");
  const ended = once(child, "close").then(([code]) => ({ code, said }));
  return { pid: child.pid ?? 0, ended };
}

test.each(["start", "service"])(
  "npm run %s passes SIGTERM on, waits for running requests and exits with the service's code",
  async (name) => {
    const { pid, ended } = await start(name);
    process.kill(pid, "SIGTERM");
    expect(await ended).toEqual({ code: 7, said: "up\ndrained\n" });
  },
);

test("Ctrl-C in a terminal reaches npm and the service, and counts once", async () => {
  const { pid, ended } = await start("start");
  process.kill(-pid, "SIGINT");
  expect(await ended).toEqual({ code: 7, said: "up\ndrained\n" });
});
