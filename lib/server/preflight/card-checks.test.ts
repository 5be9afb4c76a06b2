import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createStripe } from "@/lib/adapters/cards/stripe-client.ts";
import { WATCHED_EVENTS } from "@/lib/adapters/cards/watched-events.ts";
import { startControlledProcessor } from "@/lib/sandbox/card-processor/testing/controlled-processor.ts";
import { cardChecks } from "./card-checks.ts";
import { type Check, runCheck } from "./check.ts";

const ORIGIN = "https://pay.example.com";
const NO_FEE = { defaultBps: 0, byController: new Map() };

/** What the check says of a webhook endpoint that is sent these events; all without them. */
async function checkEndpoint(events?: readonly string[], { secrets }: { secrets?: number } = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), "turnpike-preflight-cards-"));
  const webhook = { url: `${ORIGIN}/api/webhooks/cards`, ...(events && { events }) };
  const processor = await startControlledProcessor({ dataDir, webhook });
  try {
    const webhookSecrets = processor.webhookSecrets.slice(0, secrets);
    const checks = cardChecks(
      { ...processor, webhookSecrets },
      { origin: ORIGIN, connectedAccounts: new Map(), platformFee: NO_FEE },
    );
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

test("connected accounts of the settings can be paid, and the balance is not paid to the operator's bank, or the check says which cannot", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "turnpike-preflight-cards-"));
  const processor = await startControlledProcessor({ dataDir });
  try {
    const { id } = await createStripe(processor).accounts.create({ type: "express" });
    const builders = new Map([
      ["0xb1", id],
      ["0xb2", "acct_mistyped"],
    ]);
    const settings = { origin: ORIGIN, connectedAccounts: builders, platformFee: NO_FEE };
    const checks = cardChecks(processor, settings);
    const payouts = async () =>
      runCheck(checks.find(({ name }) => name === "card payouts") as Check);
    expect(await payouts()).toMatchObject({
      ok: false,
      cause: expect.stringContaining("pays its balance out to your bank (daily)"),
    });
    processor.controls.setPayoutInterval("manual");
    expect(await payouts()).toMatchObject({
      found: expect.stringContaining("PLATFORM_FEE_BPS is 0"),
    });
    const answers = async () => Promise.all(checks.slice(-2).map(runCheck));
    expect(await answers()).toMatchObject([
      { ok: false, cause: `The connected account ${id} accepts no transfers yet.` },
      { ok: false, cause: expect.stringContaining("has no connected account acct_mistyped") },
    ]);
    processor.controls.onboard(id);
    expect(await answers()).toMatchObject([{ ok: true, found: "can be paid" }, { ok: false }]);
  } finally {
    await processor.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
});
