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
import { readGuides } from "@/lib/server/guides.ts";
import { blocksOf } from "@/scripts/proof/snippets/markdown.ts";
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

type Source = [name: string, code: string];

/** Compiles sources against the SDK; fails with what the compiler prints. */
async function compile(sources: Source[], compilerOptions: object): Promise<void> {
  const folder = await mkdtemp(join(ROOT, "components/.shown-code-"));
  const config = { extends: "../../tsconfig.json", compilerOptions, include: ["*.ts"] };
  try {
    for (const [name, code] of sources) await writeFile(join(folder, name), code);
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify(config));
    const compiling = promisify(execFile)(process.execPath, [
      TSC,
      "--noEmit",
      "--checkers",
      "1",
      "-p",
      folder,
    ]);
    const printed = await compiling.catch(({ stdout }: { stdout: string }) => ({ stdout }));
    expect(printed.stdout).toBe("");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test("the gate on the landing page is ten lines", () => {
  expect(GATE_SNIPPET.split("\n")).toHaveLength(10);
});

/** Each complete example of the guides as its TypeScript tab shows it. */
const guideSamples = (): { name: string; code: string }[] =>
  readGuides().flatMap(({ slug, text }) => {
    const { blocks } = blocksOf(slug, text);
    return blocks.flatMap(({ language, words, file, of, line, code }, at) => {
      const isShown = language === "ts" || (language === "js" && (file ?? of) !== undefined);
      const hasTab = language === "js" && blocks[at + 1]?.words.includes("tab");
      return isShown && !hasTab && !words.includes("run")
        ? [{ name: `${slug}-${line}`, code }]
        : [];
    });
  });

test("every example of the guides compiles as TypeScript, strictly", async () => {
  const samples = guideSamples();
  expect(samples.length).toBeGreaterThan(12);
  await compile(
    samples.map(({ name, code }) => [`${name}.ts`, `${code}\nexport {};\n`]),
    { noUncheckedIndexedAccess: false },
  );
}, 120_000);

test("all JavaScript that the pages of plans and agents and the landing page show compiles against the SDK", async () => {
  const samples = [...planSamples(), ...agentSamples()];
  expect(samples.length).toBeGreaterThan(25);
  const agent =
    "export const answer = async (request: Request) => Response.json(await request.json());";
  await compile(
    [
      ...samples.map((code, at): Source => [`sample-${at}.ts`, `${code}\nexport {};\n`]),
      ...GATE_SAMPLES.map(({ language, code }): Source => [`landing-${language}.ts`, code]),
      ["agent.ts", agent],
    ],
    // The samples are JavaScript: parameters have no types.
    { noImplicitAny: false },
  );
}, 120_000);
