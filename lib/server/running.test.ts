import { expect, test, vi } from "vitest";
import { bootService } from "./boot.ts";
import { getRunning } from "./running.ts";

vi.mock("server-only", () => ({}));
// In a build no request ever comes.
vi.mock("next/server", () => ({ connection: () => new Promise(() => {}) }));
vi.mock("./boot.ts", () => ({ bootService: vi.fn() }));

test("a build of the pages starts no service, which would write keys", async () => {
  void getRunning();
  // What it would load before it starts the service.
  await Promise.all([import("./env.ts"), import("./progress.ts"), vi.dynamicImportSettled()]);
  expect(bootService).not.toHaveBeenCalled();
});
