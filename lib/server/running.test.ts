import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { inFolder } from "@/lib/testing/temp-folder.ts";
import { getRunning } from "./running.ts";

const next = vi.hoisted(() => ({ connection: async () => {} }));
vi.mock("server-only", () => ({}));
vi.mock("next/server", () => ({ connection: () => next.connection() }));

const BOOTS = "bootsOfTest";
const boots = () => Reflect.get(globalThis, BOOTS);

/** In a folder whose built service counts how often it is booted, and fails at first. */
function besideBuild(work: () => Promise<unknown>, failures = 0): Promise<void> {
  return inFolder(async (folder) => {
    await mkdir(join(folder, ".next/service"), { recursive: true });
    await writeFile(
      join(folder, ".next/service/boot-alone.mjs"),
      `export const bootAlone = async () => {
        globalThis.${BOOTS} += 1;
        if (globalThis.${BOOTS} <= ${failures}) throw new Error("connect ECONNREFUSED");
      };`,
    );
    Reflect.set(globalThis, BOOTS, 0);
    Reflect.deleteProperty(globalThis, Symbol.for("turnpike.running"));
    // Not before: modules that are replaced are found from this folder.
    next.connection = async () => void vi.spyOn(process, "cwd").mockReturnValue(folder);
    await work();
  });
}

test("a process of Next alone boots the built service once", () =>
  besideBuild(async () => {
    await getRunning();
    await getRunning();
    expect(boots()).toBe(1);
  }));

test("one whose first boot fails, because its database is away, boots at a later request", () =>
  besideBuild(async () => {
    await expect(getRunning()).rejects.toThrow("ECONNREFUSED");
    vi.restoreAllMocks();
    await getRunning();
    expect(boots()).toBe(2);
  }, 1));

test("a build of the pages starts no service, which would write keys", () =>
  besideBuild(async () => {
    // In a build no request ever comes.
    next.connection = () => new Promise(() => {});
    void getRunning();
    await vi.dynamicImportSettled();
    expect(boots()).toBe(0);
  }));
