import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { z } from "zod";
import { serveOn } from "@/lib/server/own-url.ts";
import { keepSecrets } from "../keep-secrets.ts";
import type { ProcessorParts } from "./answer-request.ts";
import { createFaults } from "./faults.ts";
import { type Act, answerBank, answerHolder, holderPath } from "./holder-page.ts";
import { createProcessorServer } from "./http-server.ts";
import { answerOnboarding } from "./onboarding-page.ts";
import { createRoutes } from "./routes.ts";
import { createEmitter, type Scope } from "./scope.ts";
import { openStore } from "./store.ts";
import { createWebhooks, type WebhookTarget } from "./webhooks.ts";

export type EmbeddedProcessorOptions = {
  /** Where its data is kept. One process at a time. */
  dataDir: string;
  /** A free loopback port by default. */
  port?: number;
  /** Where events are sent; without it they can only be listed. */
  webhook?: { url: string; secret?: string; events?: readonly string[] };
};

export type EmbeddedProcessor = Awaited<ReturnType<typeof startEmbeddedProcessor>>;

/**
 * Starts a card processor that speaks Stripe's HTTP on a loopback port, so that the sandbox charges cards with the
 * code that live uses. Its data lies in a folder and survives a kill once acknowledged. It knows test cards only and
 * stores no card numbers.
 *
 * @example const processor = await startEmbeddedProcessor({ dataDir: join(dataDir, "cards") });
 */
export async function startEmbeddedProcessor(options: EmbeddedProcessorOptions) {
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
  const webhooks = createWebhooks(store, target, () => Math.floor(Date.now() / 1000));
  const time = { ahead: 0 };
  const parts: ProcessorParts = {
    store,
    keys,
    findRoute: createRoutes(target),
    hasWebhook: target !== undefined,
    now: () => Math.floor(Date.now() / 1000) + time.ahead,
  };
  const act = createAct(parts, webhooks);
  const server = createProcessorServer({
    parts,
    faults,
    answered: () => webhooks.wake(),
    holder: (request) => answerHolder(act, request) ?? answerOnboarding(act, request),
  });
  const { origin: apiBase, close } = await serveOn(server, { port: options.port });
  webhooks.wake();
  return {
    apiBase,
    /** The page where the cardholder confirms a payment or setup. */
    confirmationUrlOf: (intentId: string, secret: string) =>
      `${apiBase}${holderPath(intentId, secret)}`,
    secretKey: keys.secretKey,
    publishableKey: keys.publishableKey,
    /** Signs events of the platform. */
    webhookSecret,
    /** Those of both endpoints, of the platform and of connected accounts. */
    webhookSecrets: [webhookSecret, connectSecret],
    faults,
    webhooks,
    store,
    act,
    /** The cardholder confirms or refuses a pending payment or setup. */
    authenticate: (intentId: string, isConfirmed = true) =>
      act((scope) => answerBank(scope, intentId, isConfirmed)),
    /** By how many seconds its clock is ahead. */
    time,
    async stop() {
      await webhooks.stop();
      await close();
      store.close();
    },
  };
}

/** Runs work outside the API, as of a cardholder or a bank, then sends its events. */
function createAct(
  { store, hasWebhook, keys, now }: ProcessorParts,
  webhooks: { wake(): void },
): Act {
  const isLive = keys.secretKey.startsWith("sk_live_");
  return (act) => {
    const work = store.begin();
    const at = now();
    const event = { now: at, requestId: null, idempotencyKey: null, hasWebhook, isLive };
    const scope: Scope = {
      work,
      params: {},
      ids: [],
      now: at,
      isPublic: false,
      account: null,
      origin: "",
      afterwards: [],
      emit: createEmitter(work, event),
    };
    const result = act(scope);
    for (const follow of scope.afterwards) follow();
    store.commit(work);
    webhooks.wake();
    return result;
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
