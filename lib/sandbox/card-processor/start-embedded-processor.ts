import { randomBytes } from "node:crypto";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { z } from "zod";
import { keepSecrets } from "../keep-secrets.ts";
import { type Controls, createControls } from "./controls.ts";
import { createFaults, type Faults } from "./faults.ts";
import { answerHolder, holderPath } from "./holder-page.ts";
import { createProcessorServer } from "./http-server.ts";
import { answerOnboarding } from "./onboarding-page.ts";
import { createRoutes } from "./routes.ts";
import { openStore } from "./store.ts";
import { createWebhooks, type Webhooks, type WebhookTarget } from "./webhooks.ts";

export type EmbeddedProcessorOptions = {
  /** Where its data is kept. One process at a time. */
  dataDir: string;
  /** A free loopback port by default. */
  port?: number;
  /** Where events are sent; without it they can only be listed. */
  webhook?: { url: string; secret?: string; events?: readonly string[] };
};

export type EmbeddedProcessor = {
  apiBase: string;
  secretKey: string;
  publishableKey: string;
  /** Signs events of the platform. */
  webhookSecret: string;
  /** Those of both endpoints, of the platform and of connected accounts. */
  webhookSecrets: string[];
  /** The page where the cardholder confirms a payment or setup. */
  confirmationUrlOf: (intentId: string, clientSecret: string) => string;
  faults: Faults;
  webhooks: Webhooks;
  controls: Controls;
  stop: () => Promise<void>;
};

/**
 * Starts a card processor that speaks Stripe's HTTP on a loopback port, so that the sandbox charges cards with the
 * code that live uses. Its data lies in a folder and survives a kill once acknowledged. It knows test cards only and
 * stores no card numbers.
 *
 * @example const processor = await startEmbeddedProcessor({ dataDir: join(dataDir, "cards") });
 */
export async function startEmbeddedProcessor(
  options: EmbeddedProcessorOptions,
): Promise<EmbeddedProcessor> {
  const { dataDir, webhook } = options;
  const keys = loadKeys(dataDir);
  const webhookSecret = webhook?.secret ?? keys.webhookSecret;
  const connectSecret = `${webhookSecret}connect`;
  const target: WebhookTarget | undefined = webhook && {
    ...webhook,
    secret: webhookSecret,
    connectSecret,
  };
  const store = openStore(dataDir);
  const faults = createFaults();
  const hasWebhook = target !== undefined;
  const webhooks = createWebhooks(store, target, () => Math.floor(Date.now() / 1000));
  const { controls, act, now, isIndexed } = createControls({
    store,
    hasWebhook,
    isLive: keys.secretKey.startsWith("sk_live_"),
    webhooks,
  });
  const parts = { store, keys, findRoute: createRoutes(isIndexed, target), hasWebhook, now };
  const server = createProcessorServer({
    parts,
    faults,
    answered: () => webhooks.wake(),
    holder: (request) => answerHolder(act, request) ?? answerOnboarding(act, request),
  });
  await new Promise<void>((started, failed) => {
    server.once("error", failed);
    server.listen(options.port ?? 0, "127.0.0.1", () => started());
  });
  webhooks.wake();

  const { port } = server.address() as AddressInfo;
  const apiBase = `http://127.0.0.1:${port}`;
  return {
    apiBase,
    confirmationUrlOf: (intentId, secret) => `${apiBase}${holderPath(intentId, secret)}`,
    secretKey: keys.secretKey,
    publishableKey: keys.publishableKey,
    webhookSecret,
    webhookSecrets: [webhookSecret, connectSecret],
    faults,
    webhooks,
    controls,
    async stop() {
      await webhooks.stop();
      await new Promise<void>((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      });
      store.close();
    },
  };
}

const Keys = z.object({
  secretKey: z.string(),
  publishableKey: z.string(),
  webhookSecret: z.string(),
});

/** Its keys, created at the first start. */
function loadKeys(dataDir: string): z.output<typeof Keys> {
  const random = () => randomBytes(24).toString("hex");
  return keepSecrets(join(dataDir, "keys.json"), Keys, () => ({
    secretKey: `sk_test_${random()}`,
    publishableKey: `pk_test_${random()}`,
    webhookSecret: `whsec_${random()}`,
  }));
}
