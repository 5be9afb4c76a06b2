import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "@playwright/test";
import { serviceDataDir } from "./support/service-url.ts";

const ROOT = join(import.meta.dirname, "..");

type Ended = { code: number; stdout: string; stderr: string };

async function demo(args: string[], env: Record<string, string> = {}): Promise<Ended> {
  const dataDir = serviceDataDir() ?? process.env.TURNPIKE_DATA_DIR ?? ".turnpike";
  const command = ["--import", "./scripts/typescript.mjs", "scripts/demo.ts", ...args];
  const options = { cwd: ROOT, env: { ...process.env, TURNPIKE_DATA_DIR: dataDir, ...env } };
  try {
    return { code: 0, ...(await promisify(execFile)(process.execPath, command, options)) };
  } catch (error) {
    const { code, stdout, stderr } = error as Ended;
    return { code, stdout, stderr };
  }
}

test("the demo prints one JSON document in which every step passed", async () => {
  const { code, stdout, stderr } = await demo(["--json", "--plan", "trial"]);
  const story = JSON.parse(stdout);
  expect(story.steps.filter(({ ok }: { ok: boolean }) => !ok)).toEqual([]);
  expect([code, stderr]).toEqual([0, ""]);
  expect(story).toMatchObject({ ok: true, plan: "trial", creditsRedeemed: "1" });
  expect(story.steps.map(({ id }: { id: string }) => id)).toEqual(
    "plan agent order delegation token ask verify call receipt balance".split(" "),
  );
  const balance = story.steps.at(-1).facts;
  expect(BigInt(balance.before) - 1n).toBe(BigInt(story.remainingBalance));
});

test("the demo prints each step, without colour when redirected @long", async () => {
  const { code, stdout } = await demo([]);
  expect([code, stdout]).toEqual([0, expect.stringContaining("Settled.")]);
  for (const words of ["Request without payment  402", "Retry with payment  200"]) {
    expect(stdout).toContain(words);
  }
  expect(stdout).not.toContain("\u001b");
  expect(stdout).not.toContain("svc-sandbox:");
});

test("without a running service the demo says how to start one", async () => {
  const { code, stdout, stderr } = await demo(["--json"], {
    TURNPIKE_DATA_DIR: join(ROOT, "test-results/no-such-folder"),
  });
  expect(code).toBe(1);
  expect(stderr).toContain("npm start");
  expect(JSON.parse(stdout)).toMatchObject({ ok: false, steps: [], transaction: null });
});

test("an unknown plan is rejected before any call @long", async () => {
  const { code, stderr } = await demo(["--plan", "gold"]);
  expect(code).toBe(1);
  expect(stderr).toContain("Allowed choices are trial, crypto, card");
});
