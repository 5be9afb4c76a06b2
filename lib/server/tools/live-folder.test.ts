import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bundleService, ENTRIES } from "../../../scripts/image/bundle-service.ts";
import { writeNewFolder } from "../../../scripts/image/new-folder.ts";

describe("the folder that npm run bundle writes", () => {
  let place: string;
  beforeAll(() => {
    place = mkdtempSync(join(tmpdir(), "turnpike-folder-"));
  });
  afterAll(() => rmSync(place, { recursive: true, force: true }));

  const writing = (text: string) => async (staging: string) => {
    mkdirSync(staging);
    writeFileSync(join(staging, "server.mjs"), text);
  };

  test("never replaces one that exists: it may hold settings, or run a service", async () => {
    const folder = join(place, "turnpike");
    await writeNewFolder(folder, writing("first"));
    for (const name of [".env", "deployments.json"]) writeFileSync(join(folder, name), "mine");
    await expect(writeNewFolder(folder, writing("second"))).rejects.toThrow(/exists/);
    expect(readFileSync(join(folder, ".env"), "utf8")).toBe("mine");
    expect(readFileSync(join(folder, "deployments.json"), "utf8")).toBe("mine");
    expect(readFileSync(join(folder, "server.mjs"), "utf8")).toBe("first");
  });

  test("appears only once all of it is written", async () => {
    const folder = join(place, "broken");
    const breaking = async (staging: string) => {
      await writing("half")(staging);
      throw new Error("no space");
    };
    await expect(writeNewFolder(folder, breaking)).rejects.toThrow("no space");
    expect(existsSync(folder)).toBe(false);
    await writeNewFolder(folder, writing("whole"));
    expect(readdirSync(folder)).toEqual(["server.mjs"]);
    expect(existsSync(`${folder}.new`)).toBe(false);
  });
});

describe("in it", () => {
  let folder: string;
  beforeAll(async () => {
    // Packages are found from here.
    folder = mkdtempSync("node_modules/.turnpike-tools-");
    await bundleService(folder);
  }, 120_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test.each(Object.keys(ENTRIES).filter((name) => name !== "service"))(
    "node %s.mjs runs without the repository's sources",
    (name) => {
      const { PATH = "" } = process.env;
      const env = { PATH, NODE_ENV: "production" as const };
      const node = [`${name}.mjs`, "--help"];
      const { status, stdout, stderr } = spawnSync(process.execPath, node, {
        cwd: folder,
        env,
        encoding: "utf8",
      });
      expect(stderr).toBe("");
      expect(stdout).toMatch(/^Usage: /);
      expect(status).toBe(0);
    },
    60_000,
  );

  test("the tools that the guides name for it are there", () => {
    for (const name of ["preflight", "reconcile", "repair", "rotate-keys", "account"]) {
      expect(existsSync(join(folder, `${name}.mjs`)), name).toBe(true);
    }
  });
});
