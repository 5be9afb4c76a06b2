import { afterEach, expect, test, vi } from "vitest";
import { fetchEngine } from "./fetch-engine.ts";

afterEach(() => {
  vi.doUnmock("./play-run.ts");
  vi.resetModules();
});

test("loads the code of runs", async () => {
  const { playRun, playFault } = await fetchEngine();
  expect([typeof playRun, typeof playFault]).toEqual(["function", "function"]);
});

test("throws a message for the user if loading fails, and retries on the next call", async () => {
  vi.doMock("./play-run.ts", () => {
    throw new Error("Loading chunk 7 failed.");
  });
  await expect(fetchEngine()).rejects.toThrow(
    "The run could not be loaded, so nothing was sent. Check your connection and run again.",
  );
  vi.doUnmock("./play-run.ts");
  vi.resetModules();
  await expect(fetchEngine()).resolves.toHaveProperty("playRun");
});

test("stops waiting once the run is stopped", async () => {
  const stop = new AbortController();
  const fetching = fetchEngine(stop.signal);
  stop.abort();
  await expect(fetching).rejects.toThrow("You stopped the run before anything was sent.");
});
