import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { WATCHED_EVENTS } from "@/lib/adapters/cards/watched-events.ts";
import { startEmbeddedProcessor } from "@/lib/sandbox/card-processor/start-embedded-processor.ts";
import { cardChecks } from "./card-checks.ts";
import { runCheck } from "./check.ts";

const ORIGIN = "https://pay.example.com";

/** What the check says of a webhook endpoint that is sent these events; all without them. */
async function checkEndpoint(events?: readonly string[], { secrets }: { secrets?: number } = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), "turnpike-preflight-cards-"));
  const webhook = { url: `${ORIGIN}/api/webhooks/cards`, ...(events && { events }) };
  const processor = await startEmbeddedProcessor({ dataDir, webhook });
  try {
    const webhookSecrets = processor.webhookSecrets.slice(0, secrets);
    const checks = cardChecks({ ...processor, webhookSecrets }, ORIGIN);
    const found = checks.find(({ name }) => name === "card webhook");
    if (!found) throw new Error("There is no check of the webhook.");
    return await runCheck(found);
  } finally {
    await processor.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

test("an endpoint is sent every event that the service acts on, or the check names those it is not", async () => {
  expect(await checkEndpoint()).toMatchObject({ ok: true, found: "enabled" });
  expect(await checkEndpoint(WATCHED_EVENTS)).toMatchObject({ ok: true, found: "enabled" });
  for (const missing of WATCHED_EVENTS) {
    const others = WATCHED_EVENTS.filter((each) => each !== missing);
    expect(await checkEndpoint(others)).toMatchObject({
      ok: false,
      cause: `The webhook endpoint is not sent ${missing}.`,
    });
  }
});

test("each endpoint at the address has a secret in the settings, or the check counts them", async () => {
  expect(await checkEndpoint(WATCHED_EVENTS, { secrets: 1 })).toMatchObject({
    ok: false,
    cause: `2 webhook endpoints send to ${ORIGIN}/api/webhooks/cards, and STRIPE_WEBHOOK_SECRET holds 1 of their secrets.`,
    remedy: "Set it to the secrets of all of them, separated by commas.",
  });
});
