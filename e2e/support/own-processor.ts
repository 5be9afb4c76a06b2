import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type ControlledProcessor,
  startControlledProcessor,
} from "../../lib/sandbox/card-processor/testing/controlled-processor.ts";
import { type BootedSandbox, bootSandbox } from "./boot-sandbox.ts";
import { test as base } from "./test.ts";

export { expect } from "./test.ts";

export type Own = { processor: ControlledProcessor; sandbox: BootedSandbox };

/** The service configured with a processor's keys, as with Stripe, without the sandbox's test cards. */
export const test = base.extend<object, { own: Own }>({
  own: [
    // biome-ignore lint/correctness/noEmptyPattern: the runner requires the pattern.
    async ({}, use) => {
      const folder = await mkdtemp(join(tmpdir(), "turnpike-card-form-"));
      const processor = await startControlledProcessor({ dataDir: folder });
      const { secretKey, publishableKey, webhookSecrets, apiBase } = processor;
      const sandbox = await bootSandbox({
        settings: {
          STRIPE_SECRET_KEY: secretKey,
          STRIPE_PUBLISHABLE_KEY: publishableKey,
          STRIPE_WEBHOOK_SECRET: webhookSecrets.join(","),
          STRIPE_API_BASE: apiBase,
        },
      });
      await use({ processor, sandbox });
      await sandbox.stop();
      await processor.stop();
      await rm(folder, { recursive: true, force: true });
    },
    { scope: "worker", timeout: 120_000 },
  ],
  baseURL: async ({ own }, use) => use(own.sandbox.url),
});
/** The sandbox's card plan. */
export async function cardPlan(url: string): Promise<string> {
  const answer = await fetch(`${url}/api/v1/protocol/plans/public?limit=100`);
  const { items } = await answer.json();
  type Item = { planId: string; metadata: { main: { name: string } } };
  return (
    (items as Item[]).find(({ metadata }) => metadata.main.name === "Starter by card")?.planId ?? ""
  );
}
