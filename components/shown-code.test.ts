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
import { gatingSamples } from "./agents/gating-code.ts";
import { GATE_SAMPLES, GATE_SNIPPET } from "./landing/gate-samples.ts";
import { payloadOfDraft } from "./plans/builder/payload-of-draft.ts";
import { javascriptOf } from "./plans/plan-code.ts";
import type { PlanTerms } from "./plans/plan-terms.ts";
import { gateJavascript, subscriberJavascript } from "./plans/subscriber-code.ts";
import { expectedPlan, MARKET, OWN_ADDRESS, USDC } from "./plans/testing/arbitrary-plan.ts";

const ROOT = join(import.meta.dirname, "..");
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

/** What a plan's pages show: how it is created, gated and used. */
function planSamples(): string[] {
  const agent = { agentId: "7", verb: "POST", url: "https://agent.example/v1/ask/:id?x=1" };
  const created = fc.sample(expectedPlan, { numRuns: 20, seed: 11 }).flatMap(({ draft }) => {
    const reading = payloadOfDraft(draft, MARKET);
    return reading.isPayload ? [javascriptOf(reading, MARKET)] : [];
  });
  const used = PLANS.flatMap((plan) => [
    gateJavascript({ planId: "42", terms: plan, agent }, MARKET),
    gateJavascript({ planId: "42", terms: plan }, MARKET),
    subscriberJavascript({ planId: "42", terms: plan, agent }, MARKET),
  ]);
  return [...created, ...used];
}

/** What an agent's page shows, in JavaScript. */
const agentSamples = (): string[] =>
  gatingSamples({
    agentId: "7",
    planIds: ["42", "43"],
    routes: [
      { verb: "POST", url: "https://agent.example/ask/:id" },
      { verb: "GET", url: "/files/{name}" },
    ],
    credits: "2",
    environment: "sandbox",
    origin: "http://localhost:3000",
  })
    .filter(({ language }) => language !== "curl")
    .map(({ code }) => code);

test("the gate on the landing page is ten lines", () => {
  expect(GATE_SNIPPET.split("\n")).toHaveLength(10);
});

test("all JavaScript that the pages of plans and agents and the landing page show compiles against the SDK", async () => {
  const folder = await mkdtemp(join(ROOT, "components/.shown-code-"));
  const save = (name: string, code: string) => writeFile(join(folder, name), code);
  const samples = [...planSamples(), ...agentSamples()];
  expect(samples.length).toBeGreaterThan(25);
  try {
    for (const [at, code] of samples.entries())
      await save(`sample-${at}.ts`, `${code}\nexport {};\n`);
    for (const { language, code } of GATE_SAMPLES) await save(`landing-${language}.ts`, code);
    await save(
      "agent.ts",
      "export const answer = async (request: Request) => Response.json(await request.json());",
    );
    // The samples are JavaScript: parameters have no types.
    const compilerOptions = { noImplicitAny: false };
    const config = { extends: "../../tsconfig.json", compilerOptions, include: ["*.ts"] };
    await save("tsconfig.json", JSON.stringify(config));
    const compile = promisify(execFile)(process.execPath, [TSC, "--noEmit", "-p", folder]);
    await expect(compile).resolves.toMatchObject({ stdout: "" });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}, 120_000);
