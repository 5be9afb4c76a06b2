import { defineConfig } from "@playwright/test";
import { chromiumLaunchOptions } from "./e2e/support/chromium.ts";
import { serviceUrl } from "./e2e/support/service-url.ts";

export default defineConfig({
  testDir: "e2e",
  testMatch: "*.spec.ts",
  globalSetup: "./e2e/support/global-setup.ts",
  outputDir: "test-results",
  // Twice the cores of the smallest machine: tests wait for pages, a chain and a card processor.
  workers: 4,
  timeout: 60_000,
  // Pages wait for a chain, a card processor and a browser that share the machine's cores.
  expect: { timeout: 15_000 },
  forbidOnly: true,
  retries: 0,
  reporter: [["list"]],
  use: {
    // Known only once the global setup has run, that is in the workers, which read this file again.
    baseURL: serviceUrl(),
    launchOptions: await chromiumLaunchOptions(),
    // Recording every test takes a tenth of their time; one that fails is recorded by `npm run e2e -- --trace on`.
    trace: "off",
  },
});
