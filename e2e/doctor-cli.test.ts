import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Payments } from "@turnpike/payments";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { DoctorReport } from "../lib/probe/report/report.ts";
import { readSandboxFile, type SandboxFile } from "../lib/sandbox/sandbox-file.ts";
import { type AgentServer, serveAgent } from "./support/agent-servers.ts";

const repository = fileURLToPath(new URL("..", import.meta.url));
let sandbox: SandboxFile;
let folder: string;
let free: AgentServer;

beforeAll(async () => {
  sandbox = await readSandboxFile(process.env.TURNPIKE_SANDBOX_JSON ?? "");
  folder = await mkdtemp(join(tmpdir(), "turnpike-doctor-"));
  free = await serveAgent((_request, response) => response.end("free"));
  const subscriber = Payments.getInstance({
    apiKey: sandbox.subscriber.apiKey,
    baseUrl: sandbox.url,
  });
  const { success } = await subscriber.plans.orderPlan(sandbox.plans.crypto);
  expect(success).toBe(true);
});

afterAll(async () => {
  await free.close();
  await rm(folder, { recursive: true, force: true });
});

type Ended = { code: number; out: string; err: string };

/** `npm run doctor -- …`, without npm. */
const doctor = (args: string[], env: Record<string, string> = {}): Promise<Ended> =>
  new Promise((done) => {
    const command = ["--import", "./scripts/typescript.mjs", "scripts/doctor.ts", ...args];
    const options = {
      cwd: repository,
      env: { ...process.env, TURNPIKE_API_KEY: "", ...env },
      maxBuffer: 8 * 1024 * 1024,
    };
    execFile(process.execPath, command, options, (error, out, err) => {
      done({ code: error ? Number(error.code) : 0, out, err });
    });
  });
const withService = (...args: string[]) => ["--service", sandbox.url, ...args];

// Some fifty calls, beside the other package tests.
test("the demo agent has no errors, paid checks included, within the cap", async () => {
  const junit = join(folder, "report.xml");
  const args = withService(sandbox.agent.url, "--json", "--paid", "--max-credits", "25");
  const ended = await doctor([...args, "--junit", junit], {
    TURNPIKE_API_KEY: sandbox.subscriber.apiKey,
  });
  expect(ended.code, ended.err + ended.out).toBe(0);
  const report = JSON.parse(ended.out) as DoctorReport;
  const idsIn = (state: string) =>
    report.findings.filter((one) => one.state === state).map(({ id }) => id);
  expect(report.findings).toHaveLength(37);
  expect(idsIn("fail")).toEqual([]);
  expect(idsIn("skip")).toEqual(["D14", "D19", "D24", "D46"]);
  expect(Number(report.paid?.creditsUsed)).toBeLessThanOrEqual(25);
  const xml = await readFile(junit, "utf8");
  expect(xml).toContain('<testsuites tests="37" failures="0" errors="0" skipped="4"');
  console.log(
    `doctor: demo agent ${idsIn("pass").length} held, errors 0, credits ${report.paid?.creditsUsed} of 25`,
  );
  // A report that people share must not contain the key.
  expect(ended.out + xml).not.toContain(sandbox.subscriber.apiKey);
}, 90_000);

test("a report that can't be written as JUnit XML is printed, because its checks may have cost credits", async () => {
  const unwritable = join(folder, "missing/report.xml");
  const ended = await doctor([...withService(free.url), "--json", "--junit", unwritable]);
  expect([ended.code, ended.err]).toEqual([2, expect.stringContaining("ENOENT")]);
  expect((JSON.parse(ended.out) as DoctorReport).findings).toHaveLength(37);
});

test("without a key, paid checks are skipped with the reason", async () => {
  const ended = await doctor(withService(sandbox.agent.url));
  expect(ended.code, ended.err).toBe(0);
  expect(ended.out).toMatch(/0 errors, 0 warnings, checked \d{4}-\d\d-\d\d/);
  expect(ended.out).toContain("Sign in or use an API key to run the paid checks.");
});

test("an error exits with 1 and a fix", async () => {
  const ended = await doctor(withService(free.ask));
  expect(ended.code).toBe(1);
  expect(ended.out).toContain("ERROR   D02  Requires payment  POST works without payment (200).");
  expect(ended.out).toContain(`request:  POST ${free.ask}, without a token`);
  expect(ended.out).toContain("fix:      Put the gate in front of this route");
});

test.each([
  [["nonsense"], "Enter a URL"],
  [["https://agent.example/", "--max-credits", "many"], "Enter a whole number of credits."],
  [["https://agent.example/", "--paid"], "--paid needs --max-credits"],
  [["https://agent.example/", "--paid", "--max-credits", "3"], "--paid needs TURNPIKE_API_KEY"],
  [["https://agent.example/", "--service", "http://127.0.0.1:9"], "did not reach"],
  [[], "missing required argument"],
])("wrong usage exits with 2: %j", async (args, words) => {
  const ended = await doctor(args);
  expect(ended.code, ended.out + ended.err).toBe(2);
  expect(ended.err).toContain(words);
});

test("--help exits with 0", async () => {
  const ended = await doctor(["--help"]);
  expect(ended.code).toBe(0);
  expect(ended.out).toContain("--max-credits <n>");
});
