import "server-only";
import { join } from "node:path";
import { startEmbeddedProcessor } from "@/lib/adapters/cards/embedded-processor/start-embedded-processor.ts";
import { type Cards, openCards } from "@/lib/adapters/cards/open-cards.ts";
import type { Env } from "./env.ts";
import type { Progress } from "./progress.ts";

/** What the service does with cards, and the key a page may know. */
export type CardServices = Cards & { publishableKey: string; stop?: () => Promise<void> };

/** Cards through Stripe, or in the sandbox through the embedded processor, which speaks the same HTTP. */
export async function openCardServices(env: Env, progress: Progress): Promise<CardServices> {
  const { environment, stripe } = env;
  if (stripe) {
    const { publishableKey, ...settings } = stripe;
    return { ...openCards({ ...settings, environment }), publishableKey };
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
  const { secretKey, apiBase, webhookSecret, publishableKey, stop } = processor;
  return { ...openCards({ secretKey, apiBase, webhookSecret, environment }), publishableKey, stop };
}
