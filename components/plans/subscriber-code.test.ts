import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import {
  getDynamicCreditsConfig,
  getErc20PriceConfig,
  getFiatPriceConfig,
  getFixedCreditsConfig,
  getNonExpirableDurationConfig,
} from "@turnpike/payments/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import { payloadOfDraft } from "./builder/payload-of-draft.ts";
import { typescriptOf } from "./plan-code.ts";
import type { PlanTerms } from "./plan-terms.ts";
import {
  gateCurl,
  gateTypescript,
  routeConfigOf,
  routeKeyOf,
  subscriberCurl,
  subscriberTypescript,
} from "./subscriber-code.ts";
import { expectedPlan, MARKET, OWN_ADDRESS, USDC } from "./testing/arbitrary-plan.ts";

const ROOT = join(import.meta.dirname, "../..");
const TSC = join(
  dirname(createRequire(import.meta.url).resolve("typescript/package.json")),
  "bin/tsc",
);

const terms = (more: Partial<PlanTerms> = {}): PlanTerms => ({
  price: getErc20PriceConfig(1_000_000n, USDC, OWN_ADDRESS),
  credits: getFixedCreditsConfig(100n, 1n),
  accessLimit: "credits",
  isTrial: false,
  ...more,
});
const PLANS = [
  terms(),
  terms({ credits: getDynamicCreditsConfig(100n, 1n, 10n) }),
  terms({ accessLimit: "time", credits: getNonExpirableDurationConfig() }),
  terms({ price: getFiatPriceConfig(5_000_000n, OWN_ADDRESS, "EUR") }),
];
const agent = { agentId: "7", verb: "POST", url: "https://agent.example/v1/ask/:id?x=1" };

test("every TypeScript sample compiles against the SDK", async () => {
  const created = fc.sample(expectedPlan, { numRuns: 20, seed: 11 }).flatMap(({ draft }) => {
    const reading = payloadOfDraft(draft, MARKET);
    return reading.isPayload ? [typescriptOf(reading, MARKET)] : [];
  });
  const used = PLANS.flatMap((plan) => [
    gateTypescript({ planId: "42", terms: plan, agent }, MARKET),
    gateTypescript({ planId: "42", terms: plan }, MARKET),
    subscriberTypescript({ planId: "42", terms: plan, agent }, MARKET),
  ]);
  const folder = await mkdtemp(join(ROOT, "components/plans/.samples-"));
  try {
    const samples = [...created, ...used];
    await Promise.all(
      samples.map((code, index) =>
        writeFile(join(folder, `sample-${index}.ts`), `${code}\nexport {};\n`),
      ),
    );
    const config = { extends: "../../../tsconfig.json", include: ["*.ts"] };
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify(config));
    const compile = promisify(execFile)(process.execPath, [TSC, "--noEmit", "-p", folder]);
    await expect(compile).resolves.toMatchObject({ stdout: "" });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}, 120_000);

test("the route is the endpoint's verb and path, and the config names this plan and agent", () => {
  expect(routeKeyOf(agent)).toBe("POST /v1/ask/:id");
  expect(routeKeyOf({ verb: "GET", url: "/status" })).toBe("GET /status");
  expect(routeKeyOf({ verb: "GET", url: "https://agent.example" })).toBe("GET /");
  expect(routeConfigOf({ planId: "42", terms: terms(), agent })).toEqual({
    "POST /v1/ask/:id": { planId: "42", agentId: "7", credits: 1 },
  });
});

test("commands quote text from others, and read secrets from variables", () => {
  const hostile = { ...agent, url: "https://agent.example/'; rm -rf ~ #$(id)" };
  const sample = { planId: "42", terms: terms(), agent: hostile };
  for (const command of [gateCurl(sample), subscriberCurl(sample, MARKET)]) {
    expect(command).toContain(`'https://agent.example/'\\''; rm -rf ~ #$(id)'`);
  }
  expect(subscriberCurl(sample, MARKET)).toContain("Bearer $SVC_API_KEY");
});
