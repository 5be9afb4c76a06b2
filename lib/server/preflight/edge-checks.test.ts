import { expect, test, vi } from "vitest";
import { readEnv } from "../env.ts";
import { runCheck } from "./check.ts";
import { edgeChecks } from "./edge-checks.ts";

const env = readEnv({
  TURNPIKE_ORIGIN: "https://pay.example",
  STRIPE_SECRET_KEY: "sk_test_1",
  STRIPE_PUBLISHABLE_KEY: "pk_test_1",
  STRIPE_WEBHOOK_SECRET: "whsec_1",
});

test("the check of the webhook secret claims no more than it sees: that the service has the same one", async () => {
  const checks = edgeChecks(env, () => new Date());
  const secret = checks.find(({ name }) => name === "webhook secret");
  if (!secret) throw new Error("There is no check of the secret.");
  vi.stubGlobal("fetch", async () => Response.json({ received: true }));
  expect(await runCheck(secret)).toMatchObject({
    ok: true,
    found: "the service has the same; Stripe's list of deliveries shows whether they are Stripe's",
  });
  vi.stubGlobal("fetch", async () => Response.json({}, { status: 400 }));
  expect(await runCheck(secret)).toMatchObject({
    ok: false,
    cause: expect.stringContaining("answers 400"),
  });
});
