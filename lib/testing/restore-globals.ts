import { setTimeout as realTimeout } from "node:timers";
import { afterAll, vi } from "vitest";

// Vitest restores them before each test. Modules are shared by the files of a process, and what a file's last test replaced would
// still be there while the next file prepares itself: PGlite, for example, believes that it runs in a browser where there is a `window`.
afterAll(() => {
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  vi.useRealTimers();
  // Such a timer would never end for the next file.
  if (globalThis.setTimeout !== realTimeout) {
    globalThis.setTimeout = realTimeout;
    throw new Error("This file leaves a replaced setTimeout behind.");
  }
});
