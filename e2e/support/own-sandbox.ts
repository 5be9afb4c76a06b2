import { type BootedSandbox, bootSandbox } from "./boot-sandbox.ts";
import { serviceDataDir, serviceUrl, setService } from "./service-url.ts";
import { test as base } from "./test.ts";

/**
 * A test with a sandbox to itself: for faults that strike everyone, and figures that everyone's calls change. It runs in a
 * separate worker, in which this sandbox is the service under test.
 */
export const testAlone = base.extend<object, { ownSandbox: BootedSandbox }>({
  ownSandbox: [
    // biome-ignore lint/correctness/noEmptyPattern: the runner requires the pattern.
    async ({}, use) => {
      const shared = { url: serviceUrl() ?? "", dataDir: serviceDataDir() ?? "" };
      const sandbox = await bootSandbox();
      setService(sandbox.url, sandbox.dataDir);
      await use(sandbox);
      setService(shared.url, shared.dataDir);
      await sandbox.stop();
    },
    { scope: "worker", auto: true, timeout: 180_000 },
  ],
  baseURL: async ({ ownSandbox }, use) => use(ownSandbox.url),
});
