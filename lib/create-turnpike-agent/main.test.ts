import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freePort } from "@/lib/testing/free-port.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "turnpike-create-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** The command, with no one at its terminal. */
const create = (...args: string[]) => createWith({}, ...args);

const TEMPLATES = join(import.meta.dirname, "templates");

/** The command, where someone types this at its terminal. */
async function createWith({ typed, set }: { typed?: string; set?: object }, ...args: string[]) {
  const { TURNPIKE_API_KEY: _key, TURNPIKE_URL: _url, ...env } = process.env;
  const child = spawn(process.execPath, [join(import.meta.dirname, "main.mjs"), ...args], {
    cwd: folder,
    env: { ...env, ...set },
    stdio: "pipe",
  });
  if (typed === undefined) child.stdin.end();
  else child.stdin.write(typed);
  const [error, out, [code]] = await Promise.all([
    text(child.stderr),
    text(child.stdout),
    once(child, "exit"),
  ]);
  return { code, out, error };
}

test.each([
  [["--colour", "red"], "Unknown option --colour.\n\nCreates a paid agent"],
  [["--stack"], "--stack needs a value."],
  [["one", "two"], 'Pass one folder, without "two".'],
  [["agent", "--stack", "fly"], 'Unknown stack "fly". Choose one of express|'],
  [[], "The question was not answered. Pass the folder, --stack and --key, or --yes."],
  [["agent", "--yes"], "An API key is required"],
  [["agent", "--yes", "--key", "svc-x", "--port", "0"], '"0" is not a port.'],
])("%j ends with 1 and says what to do", async (args, said) => {
  expect(await create(...args)).toMatchObject({ code: 1, error: expect.stringContaining(said) });
});

test("a folder with files, or a file of its name, is left alone before anything is asked", async () => {
  await writeFile(join(folder, "taken"), "mine");
  const answers = [await create("."), await create("taken")];
  expect(answers.map(({ code, out }) => [code, out])).toEqual([
    [1, ""],
    [1, ""],
  ]);
  expect(answers.map(({ error }) => error)).toEqual([
    expect.stringContaining("is not empty. Choose another folder."),
    expect.stringContaining("Choose another one."),
  ]);
});

test("a service that refuses leaves no folder behind, and the caller's own one where it was", async () => {
  const { url, stop } = await startService((response) => {
    response.writeHead(401, { "content-type": "application/json" });
    response.end('{"code":"unauthorized","message":"The key is revoked."}');
  });
  const options = ["--yes", "--key", "svc-x", "--url", url, ...(await freePortOption())];
  const { code, error } = await create("fresh", ...options);
  await mkdir(join(folder, "own"));
  const own = await create("own", ...options);
  stop();
  expect(own.code).toBe(1);
  expect(await readdir(join(folder, "own"))).toEqual([]);
  expect([code, error]).toEqual([1, expect.stringContaining("The key is revoked.")]);
  expect(await readdir(folder)).not.toContain("fresh");
});

test("the tests of a project do not pass against an agent that already runs", async () => {
  const agent = createServer((_request, response) => response.end("old")).listen(0, "127.0.0.1");
  await once(agent, "listening");
  const port = String((agent.address() as AddressInfo).port);
  const project = join(folder, "tested");
  await mkdir(project);
  await copyFile(join(TEMPLATES, "shared/start-agent.mjs"), join(project, "start-agent.mjs"));
  await writeFile(join(project, "package.json"), '{"scripts":{"start":"exit 1"}}');
  const own =
    'import { test } from "node:test";\nimport "./start-agent.mjs";\ntest("it", () => {});';
  await writeFile(join(project, "agent.test.mjs"), own);
  const { NODE_OPTIONS: _options, ...env } = process.env;
  const child = spawn(process.execPath, ["--test", "agent.test.mjs"], {
    cwd: project,
    env: { ...env, PORT: port },
  });
  const [out, [code]] = await Promise.all([text(child.stdout), once(child, "exit")]);
  agent.close();
  agent.closeAllConnections();
  expect([code, out]).toEqual([
    1,
    expect.stringContaining(`Port ${port} is in use; stop the agent first.`),
  ]);
  expect(out).not.toContain("ESRCH");
});

const freePortOption = async () => ["--port", String(await freePort())];

const register = (response: ServerResponse) => {
  response.writeHead(200, { "content-type": "application/json" });
  response.end('{"agentId":"7","planId":"42"}');
};

type Sent = { nonce?: string; plan?: { nonce?: string } };

/** A service that has the SDK, and answers registrations like this. */
async function startService(answer = register, sdkStatus: () => number = () => 200) {
  const sent: { path: string; body: Sent }[] = [];
  const server = createServer(async (request, response) => {
    const path = request.url ?? "";
    if (path.startsWith("/downloads/")) return response.writeHead(sdkStatus()).end(SDK);
    sent.push({ path, body: JSON.parse((await text(request)) || "{}") as Sent });
    answer(response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, sent, stop: () => server.close() };
}

const optionsFor = async (url: string) => [
  "--yes",
  "--key",
  "svc-x",
  "--url",
  url,
  ...(await freePortOption()),
];

const SDK = "a package";

/** What a project has as its SDK. */
async function sdkOf(name: string): Promise<string> {
  const manifest = await readFile(join(folder, name, "package.json"), "utf8");
  const named: string = JSON.parse(manifest).dependencies["@turnpike/payments"];
  expect(named).toMatch(/^file:/);
  return readFile(join(folder, name, named.slice("file:".length)), "utf8");
}

test("the SDK comes from the service and stays in the project, also when its first answer is lost", async () => {
  const statuses = [503, 200];
  const { url, stop } = await startService(register, () => statuses.shift() ?? 200);
  const { code } = await create("retried", ...(await optionsFor(url)));
  stop();
  expect(code).toBe(0);
  expect(await sdkOf("retried")).toBe(SDK);
});

test("without the SDK of the service nothing is registered or written, and no registry is named", async () => {
  const { url, sent, stop } = await startService(register, () => 404);
  const { code, error } = await create("unpacked", ...(await optionsFor(url)));
  stop();
  expect(code).toBe(1);
  expect(error).toContain(`could not be read from ${url}/downloads/turnpike-payments.tgz`);
  expect(sent).toEqual([]);
  expect(await readdir(folder)).not.toContain("unpacked");
});

test("a run after a lost answer registers under the name of the first", async () => {
  let isLost = true;
  const { url, sent, stop } = await startService((response) => {
    if (isLost) response.destroy();
    else register(response);
    isLost = false;
  });
  const options = await optionsFor(url);
  const { code, error } = await create("lost", ...options);
  expect([code, error]).toEqual([1, expect.stringContaining("it registers nothing twice")]);
  const again = await create("lost", ...options);
  stop();
  expect(again.code).toBe(0);
  const nonces = sent.map(({ body }) => body.plan?.nonce);
  expect(nonces).toEqual([expect.stringMatching(/^\d+$/), nonces[0]]);
  expect(await readdir(join(folder, "lost"))).not.toContain(".turnpike-create");
});

test("a run with other options after a lost answer registers anew, and one with the first options does not", async () => {
  let lost = 3;
  const { url, sent, stop } = await startService((response) => {
    if (lost-- > 0) response.destroy();
    else register(response);
  });
  const options = await optionsFor(url);
  const elsewhere = await optionsFor(url);
  await create("changed", ...options);
  await create("changed", ...elsewhere);
  await create("changed", ...options, "--plan", "42");
  expect((await create("changed", ...options)).code).toBe(0);
  stop();
  const nonces = sent.map(({ body }) => body.nonce ?? body.plan?.nonce);
  expect(new Set(nonces).size).toBe(3);
  expect(nonces[3]).toBe(nonces[0]);
});

test("the address of the API is that of the service", async () => {
  const { url, sent, stop } = await startService();
  const { code } = await create("api", ...(await optionsFor(`${url}/api/v1/`)));
  stop();
  expect(code).toBe(0);
  expect(sent.map(({ path }) => path)).toEqual(["/api/v1/protocol/agents/plans"]);
  expect(await readFile(join(folder, "api/.env"), "utf8")).toContain(`TURNPIKE_URL=${url}\n`);
});

test("the README of a project says how its own agent is called", async () => {
  const { url, stop } = await startService();
  for (const [stack, call] of Object.entries({ mcp: "The tool `count`", node: "`POST /ask`" })) {
    const options = ["--stack", stack, ...(await optionsFor(url))];
    expect((await create(`readme-${stack}`, ...options)).code).toBe(0);
    const readme = await readFile(join(folder, `readme-${stack}`, "README.md"), "utf8");
    expect(readme).toContain(`${call} costs one credit.`);
  }
  stop();
});

test("the folder that was typed is the one to change into, with its path", async () => {
  const { url, stop } = await startService();
  const options = ["--stack", "mcp", "--key", "svc-x", "--url", url, ...(await freePortOption())];
  const { code, out } = await createWith({ typed: "apps/bot\n" }, ...options);
  stop();
  expect([code, out]).toEqual([0, expect.stringContaining("  cd apps/bot\n")]);
  expect(await readdir(join(folder, "apps/bot"))).toContain("server.mjs");
});

test("a folder that holds only .git is empty", async () => {
  await mkdir(join(folder, "cloned/.git"), { recursive: true });
  const { url, stop } = await startService();
  const options = ["--yes", "--key", "svc-x", "--url", url, ...(await freePortOption())];
  const { code, error } = await create("cloned", ...options);
  stop();
  expect([code, error]).toEqual([0, ""]);
});

test("a folder that is a link to an empty one gets the project", async () => {
  await mkdir(join(folder, "linked/agent"), { recursive: true });
  await symlink("linked/agent", join(folder, "link"));
  const { url, stop } = await startService();
  const { code, error } = await create("link", ...(await optionsFor(url)));
  stop();
  expect([code, error]).toEqual([0, ""]);
  expect(await readdir(join(folder, "linked/agent"))).toContain("server.mjs");
});

test("a run that was cut off while it wrote its project can be repeated, and registers nothing twice", async () => {
  const { url, sent, stop } = await startService();
  const options = await optionsFor(url);
  const cut = join(folder, "cut");
  await mkdir(join(cut, ".turnpike-create-files"), { recursive: true });
  await writeFile(join(cut, ".turnpike-create"), "seed");
  await writeFile(join(cut, ".turnpike-create-files/server.mjs"), "half a");
  expect(await create("cut", ...options)).toMatchObject({ code: 0, error: "" });
  await create("whole", ...(await optionsFor(url)));
  stop();
  expect((await readdir(cut)).sort()).toEqual((await readdir(join(folder, "whole"))).sort());
  expect(await readFile(join(cut, "server.mjs"), "utf8")).not.toBe("half a");
  expect(sent).toHaveLength(2);
});

test("an agent and a plan that are both given are checked, and linked", async () => {
  const { url, sent, stop } = await startService((response) => {
    const isKnown = sent.length > 1;
    response.writeHead(isKnown ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify(isKnown ? { success: true } : { message: "Agent 7 not found." }));
  });
  const options = [...(await optionsFor(url)), "--agent", "7", "--plan", "42"];
  const refused = await create("both", ...options);
  expect(refused).toMatchObject({ code: 1, error: expect.stringContaining("Agent 7 not found.") });
  expect(await readdir(folder)).not.toContain("both");
  expect((await create("both", ...options)).code).toBe(0);
  stop();
  expect(sent.map(({ path }) => path)).toEqual(Array(2).fill("/api/v1/protocol/agents/7/plan/42"));
});

test.each(["“svc-x”", "svc-\nx", "svc- x"])(
  "the key %j is refused, without a request",
  async (key) => {
    const { url, sent, stop } = await startService();
    const options = ["--yes", "--key", key, "--url", url, ...(await freePortOption())];
    const { code, error } = await create("unkeyed", ...options);
    stop();
    expect([code, error]).toEqual([1, expect.stringContaining("The API key is malformed.")]);
    expect(error).not.toContain(key);
    expect(sent).toEqual([]);
    expect(await readdir(folder)).not.toContain("unkeyed");
  },
);

test("an empty TURNPIKE_URL counts as none", async () => {
  const { error } = await createWith({ set: { TURNPIKE_URL: "" } }, "unset", "--yes");
  expect(error).toContain("create one at http://localhost:3000/settings/api-keys");
});

test("PORT of the shell is not the agent's port, and a port where something listens is refused", async () => {
  const { url, stop } = await startService();
  const options = ["--yes", "--key", "svc-x", "--url", url];
  const registered = ["--agent", "7", "--plan", "42"];
  for (const [name, port] of Object.entries({ empty: "", exported: "3000" })) {
    const { code } = await createWith({ set: { PORT: port } }, name, ...options, ...registered);
    expect(code).toBe(0);
    expect(await readFile(join(folder, name, ".env"), "utf8")).toMatch(/^PORT=4021$/m);
  }
  const { port } = new URL(url);
  const { code, error } = await create("clash", ...options, "--port", port);
  stop();
  expect([code, error]).toEqual([1, `Port ${port} is in use. Pass a free one as --port.\n`]);
});
