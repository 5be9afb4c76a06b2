import { afterEach, expect, test, vi } from "vitest";
import { fetchEngine } from "./fetch-engine.ts";

afterEach(() => {
  vi.doUnmock("./play-run.ts");
  vi.resetModules();
});

test("brings what runs are made of", async () => {
  const { playRun, playFault } = await fetchEngine();
  expect([typeof playRun, typeof playFault]).toEqual(["function", "function"]);
});

test("says in words that it could not be fetched, and tries again when asked again", async () => {
  vi.doMock("./play-run.ts", () => {
    throw new Error("Loading chunk 7 failed.");
  });
  await expect(fetchEngine()).rejects.toThrow(
    "What a run needs could not be loaded, so nothing was sent. Check the connection and run again.",
  );
  vi.doUnmock("./play-run.ts");
  vi.resetModules();
  await expect(fetchEngine()).resolves.toHaveProperty("playRun");
});

test("is not waited for once the run is stopped", async () => {
  const stop = new AbortController();
  const fetching = fetchEngine(stop.signal);
  stop.abort();
  await expect(fetching).rejects.toThrow("You stopped it before anything was sent.");
});
