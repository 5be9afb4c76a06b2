import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "@/lib/testing/free-port.ts";
import { manifestOf } from "./stacks.mjs";

const { NODE_OPTIONS: _options, ...env } = process.env;

let place: string;
beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), "turnpike-templates-"));
});
afterAll(() => rm(place, { recursive: true }));

/** A project as it is written, with this as its server. */
async function writeProject(stack: string, port: number, server: string): Promise<string> {
  const project = await mkdtemp(join(place, `${stack}-`));
  for (const name of ["shared", stack]) {
    await cp(join(import.meta.dirname, "templates", name), project, { recursive: true });
  }
  const manifest = manifestOf({ name: stack, stack });
  await writeFile(join(project, "package.json"), JSON.stringify(manifest));
  await writeFile(join(project, ".env"), `PORT=${port}\n`);
  await writeFile(join(project, "server.mjs"), server);
  return project;
}

const SERVER = `import { createServer } from "node:http";
createServer((_request, response) => response.end("here")).listen(process.env.PORT);
`;
const isAnswered = (port: number) =>
  fetch(`http://localhost:${port}`).then(
    () => true,
    () => false,
  );

describe.skipIf(process.platform === "win32")("a project", () => {
  test.each(["SIGINT", "SIGTERM"] as const)(
    "whose tests are ended by %s leaves no agent behind",
    async (signal) => {
      const port = await freePort();
      const project = await writeProject("node", port, SERVER);
      const endless = `import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import "./start-agent.mjs";
test("runs on", () => setTimeout(60_000));
`;
      await writeFile(join(project, "agent.test.mjs"), endless);
      const tests = spawn("npm", ["test"], { cwd: project, env, detached: true, stdio: "ignore" });
      await expect.poll(() => isAnswered(port), { timeout: 20_000 }).toBe(true);
      // As a terminal does: to every process of its group.
      process.kill(-(tests as ChildProcess & { pid: number }).pid, signal);
      await once(tests, "exit");
      await expect.poll(() => isAnswered(port), { timeout: 5_000 }).toBe(false);
    },
  );

  test("starts on the port in .env, whatever PORT the shell has, and says when it is taken", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    const project = await writeProject("node", port, "console.log(process.env.PORT);");
    const start = () =>
      spawnSync("npm", ["start", "--silent"], {
        cwd: project,
        env: { ...env, PORT: "1" },
        encoding: "utf8",
      });
    const taken = start();
    expect(taken.status).toBe(1);
    expect(taken.stderr).toContain(`Port ${port} is in use.`);
    expect(taken.stderr).not.toMatch(/^\s+at /m);
    other.close();
    expect(start().stdout).toBe(`${port}\n`);
  });

  test("of Next.js is built at every start, so that it runs what is in its files", async () => {
    const project = await writeProject("next", await freePort(), "");
    await mkdir(join(project, ".next"));
    const next = join(project, "node_modules/next/dist/bin");
    await mkdir(next, { recursive: true });
    await writeFile(join(project, ".next/BUILD_ID"), "earlier");
    const noted = 'require("node:fs").appendFileSync("calls", process.argv[2] + "\\n");\n';
    await writeFile(join(next, "next"), noted);
    spawnSync(process.execPath, ["start.mjs"], { cwd: project, env });
    expect(await readFile(join(project, "calls"), "utf8")).toBe("build\nstart\n");
  });
});
