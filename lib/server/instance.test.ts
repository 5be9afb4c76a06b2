import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readPgliteImage } from "@/lib/adapters/db/testing/stores.ts";
import { longTest } from "@/lib/testing/in-full.ts";
import { descendantsOf, isAlive } from "./testing/process-family.ts";
import { createSpawnable, type RunningService, type Spawnable } from "./testing/spawned-service.ts";

let spawnable: Spawnable;
let first: RunningService;

beforeAll(async () => {
  spawnable = await createSpawnable({ image: await readPgliteImage() });
  first = await spawnable.start();
}, 90_000);
afterAll(() => spawnable.remove());

test("a second instance on the same folder is refused and the first is unharmed", async () => {
  const before = await first.settle("instance-before-0001");
  const second = await spawnable.startRefused();
  expect(second.code).toBe(1);
  expect(second.stderr).toContain("Another Turnpike is running on the data folder");
  expect(second.stderr).toContain(spawnable.folder);
  expect(second.stderr).toContain("TURNPIKE_DATA_DIR");
  // A message for a person, not a stack.
  expect(second.stderr).not.toMatch(/^\s+at /m);
  expect(first.isRunning()).toBe(true);
  expect(await first.settle("instance-before-0001")).toEqual(before);
  expect(await first.settle("instance-after-00001")).toMatchObject({ success: true });
}, 90_000);

test("kill -9 ends the service, its chain and every helper, and what was settled is kept", async () => {
  const settled = await first.settle("instance-killed-0001");
  await expectAllToEnd(first, () => first.kill());
  first = await spawnable.start();
  // The receipt names the service by its address, and this one has another port.
  expect(await first.settle("instance-killed-0001")).toEqual({
    ...settled,
    extensions: expect.anything(),
  });
}, 90_000);

longTest(
  "Ctrl-C ends the service, its chain and every helper",
  async () => {
    await expectAllToEnd(first, async () => expect(await first.stop("SIGINT")).toBe(0));
  },
  90_000,
);

longTest(
  "does not start on data that it cannot read, and says which setting is wrong",
  async () => {
    const { code, stderr } = await spawnable.startRefused({
      TURNPIKE_SECRET_KEY: randomBytes(32).toString("hex"),
    });
    expect(stderr).toContain("TURNPIKE_SECRET_KEY does not open secrets of this database");
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(code).toBe(1);
  },
  60_000,
);

/** Ends the service, and expects each process that it has started to be gone with it. */
async function expectAllToEnd(service: RunningService, end: () => Promise<void>): Promise<void> {
  const family = descendantsOf(service.pid);
  expect(family.length).toBeGreaterThan(0);
  await end();
  await expect.poll(() => family.filter((pid) => isAlive(pid)), { timeout: 10_000 }).toEqual([]);
}
