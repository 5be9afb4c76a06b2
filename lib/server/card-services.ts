import "server-only";
import { join } from "node:path";
import { type Cards, openCards } from "@/lib/adapters/cards/open-cards.ts";
import type { Faults } from "@/lib/sandbox/card-processor/faults.ts";
import { startEmbeddedProcessor } from "@/lib/sandbox/card-processor/start-embedded-processor.ts";
import type { Env } from "./env.ts";
import type { Progress } from "./progress.ts";

/** What the service does with cards, and the key a page may know. */
export type CardServices = Cards & {
  publishableKey: string;
  /** Where the processor answers, when that is not Stripe's own address. */
  apiBase?: string | undefined;
  stop?: () => Promise<void>;
  /** What the embedded processor can be made to do wrong. */
  faults?: Faults;
  /** The embedded processor's cardholder confirms what waits for them. */
  confirmAsHolder?: (setupIntentId: string) => void;
};

/** Cards through Stripe, or in the sandbox through the embedded processor, which speaks the same HTTP. */
export async function openCardServices(env: Env, progress: Progress): Promise<CardServices> {
  const { environment, stripe, connectedAccounts } = env;
  if (stripe) {
    const { publishableKey, apiBase } = stripe;
    return { ...openCards({ ...stripe, environment, connectedAccounts }), publishableKey, apiBase };
  }
  if (environment === "live") throw new Error("Cards in live need the STRIPE_ settings.");
  const processor = await progress.step("card processor", "embedded", () =>
    startEmbeddedProcessor({
      dataDir: join(env.dataDir, "cards"),
      ...(env.port !== 0 && {
        webhook: { url: `http://127.0.0.1:${env.port}/api/webhooks/cards` },
      }),
    }),
  );
  const { publishableKey, apiBase, stop, faults, controls } = processor;
  const confirmAsHolder = (setupIntentId: string) => controls.authenticate(setupIntentId);
  const cards = openCards({ ...processor, environment, connectedAccounts });
  return { ...cards, publishableKey, apiBase, stop, faults, confirmAsHolder };
}
