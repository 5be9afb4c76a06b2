import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { firstCases } from "@/lib/testing/in-full.ts";
import { bundleService, ENTRIES, READ_BY_PATH } from "../../../scripts/image/bundle-service.ts";
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

describe("what the service reads from its working folder", () => {
  const LITERAL = /"((?:docs|lib|public|node_modules|\.next)\/[\w./-]+)"/g;
  const isLive = (name: string) =>
    /\.ts$/.test(name) &&
    !/\.test\.ts$|(^|\/)testing\/|^(sandbox|sdk|create-turnpike-agent)\//.test(name);

  test("is in the folder: every path that its modules name", () => {
    const named = readdirSync("lib", { recursive: true, encoding: "utf8" })
      .filter(isLive)
      .flatMap((name) => [...readFileSync(join("lib", name), "utf8").matchAll(LITERAL)])
      .map(([, path = ""]) => path);
    expect(named).toContain("docs/guides");
    const isCopied = (path: string) => READ_BY_PATH.some((kept) => kept.startsWith(path));
    // Loaded by a process of Next alone only, which the folder has none of.
    const isNeeded = (path: string) => path !== ".next/service/boot-alone.mjs";
    expect(named.filter((path) => isNeeded(path) && !isCopied(path))).toEqual([]);
  });

  test("gives every guide and error page there", () => {
    const folder = mkdtempSync(join(tmpdir(), "turnpike-guides-"));
    for (const path of READ_BY_PATH.filter((each) => each.startsWith("docs/"))) {
      cpSync(path, join(folder, path), { recursive: true });
    }
    const guides = pathToFileURL(resolve("lib/server/guides.ts")).href;
    const read = `process.chdir(${JSON.stringify(folder)});
      const { readGuides, readErrorTexts } = await import(${JSON.stringify(guides)});
      console.log(readGuides().length > 10, readErrorTexts().size > 10);`;
    const node = ["--import", "./scripts/typescript.mjs", "--input-type=module", "-e", read];
    const { stdout, stderr } = spawnSync(process.execPath, node, { encoding: "utf8" });
    rmSync(folder, { recursive: true });
    expect([stdout.trim(), stderr]).toEqual(["true true", ""]);
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

  test.each(firstCases(2, Object.keys(ENTRIES)))(
    "node %s.mjs --help prints help, without the repository's sources",
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
    for (const name of ["preflight", "reconcile", "refund", "repair", "rotate-keys", "account"]) {
      expect(existsSync(join(folder, `${name}.mjs`)), name).toBe(true);
    }
  });
});
