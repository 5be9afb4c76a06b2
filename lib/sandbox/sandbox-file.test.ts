import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PaymentsError } from "@turnpike/payments/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  findSandboxFile,
  readSandboxFile,
  type SandboxFile,
  writeSandboxFile,
} from "./sandbox-file.ts";

const sandbox: SandboxFile = {
  url: "http://localhost:3000",
  environment: "sandbox",
  builder: { address: "0x1111111111111111111111111111111111111111", apiKey: "svc-sandbox:b" },
  subscriber: { address: "0x2222222222222222222222222222222222222222", apiKey: "svc-sandbox:s" },
  plans: { crypto: "1", card: "2", trial: "3" },
  agent: { agentId: "7", url: "http://localhost:3402/ask" },
};

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "turnpike-sandbox-file-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test("round-trips with and without a chain", async () => {
  const path = join(folder, "new-folder", "sandbox.json");
  await writeSandboxFile(path, sandbox);
  expect(await readSandboxFile(path)).toEqual(sandbox);

  const withChain = {
    ...sandbox,
    chain: { rpcUrl: "http://127.0.0.1:8545", chainId: 84532, contracts: { plans: "0xabc" } },
  };
  await writeSandboxFile(path, withChain);
  expect(await readSandboxFile(path)).toEqual(withChain);
});

test("is readable by its owner only, also after a rewrite", async () => {
  const path = join(folder, "mode.json");
  await writeFile(path, "{}", { mode: 0o644 });
  await writeSandboxFile(path, sandbox);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test("readers never see a partial file, and no draft is left", async () => {
  const path = join(folder, "atomic", "sandbox.json");
  await writeSandboxFile(path, sandbox);
  const writes = Array.from({ length: 20 }, () => writeSandboxFile(path, sandbox));
  const reads = Array.from({ length: 20 }, () => readSandboxFile(path));
  await Promise.all([...writes, ...reads]);
  expect(await readdir(join(folder, "atomic"))).toEqual(["sandbox.json"]);
});

test("an invalid value is not written and the old file is kept", async () => {
  const path = join(folder, "kept.json");
  await writeSandboxFile(path, sandbox);
  const before = await readFile(path, "utf8");
  const wrong = { ...sandbox, url: "not a url" };
  await expect(writeSandboxFile(path, wrong)).rejects.toThrow();
  expect(await readFile(path, "utf8")).toBe(before);
});

test("a missing file is not_found with a hint to start the sandbox", async () => {
  const path = join(folder, "missing.json");
  const error = await readSandboxFile(path).catch((thrown: unknown) => thrown);
  expect(PaymentsError.is(error) && [error.code, error.hint]).toEqual([
    "not_found",
    "Start the sandbox: npm start",
  ]);
  expect(await findSandboxFile(path)).toBeUndefined();
});

test.each([
  ["{", "document"],
  ["{}", "url"],
  [JSON.stringify({ ...sandbox, environment: "live" }), "environment"],
  [JSON.stringify({ ...sandbox, agent: { agentId: "7", url: "ftp://x" } }), "agent.url"],
])("a file that is not a sandbox file is refused with its path: %s", async (text, where) => {
  const path = join(folder, "wrong.json");
  await writeFile(path, text);
  await expect(readSandboxFile(path)).rejects.toThrow(`${path} is not a sandbox file: ${where}`);
  await expect(findSandboxFile(path)).rejects.toThrow("not a sandbox file");
});
