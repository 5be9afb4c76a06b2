import { launch } from "chrome-launcher";
import lighthouse, { desktopConfig } from "lighthouse";
import { bootSandbox } from "../../../e2e/support/boot-sandbox.ts";
import { chromiumLaunchOptions } from "../../../e2e/support/chromium.ts";
import { readSandboxFile } from "../../../lib/sandbox/sandbox-file.ts";
import { quantile } from "../measure.ts";
import { openBrowser, openPage } from "./open-browser.ts";

const RUNS = Number(process.env.LIGHTHOUSE_RUNS ?? 3);
const BAR = 95;
const CATEGORIES = ["performance", "accessibility", "best-practices", "seo"] as const;
/** `LIGHTHOUSE_PAGES=/plans,/agents` audits those only. */
const ONLY = process.env.LIGHTHOUSE_PAGES?.split(",");
const PAGES: { path: string; role: "builder" | "subscriber" | null }[] = [
  { path: "/", role: null },
  { path: "/explore", role: null },
  { path: "/home", role: "builder" },
  { path: "/plans", role: "builder" },
  { path: "/plans/new", role: "builder" },
  { path: "/agents", role: "builder" },
  { path: "/checkout/:crypto", role: "subscriber" },
  { path: "/subscriptions", role: "subscriber" },
  { path: "/delegations", role: "subscriber" },
  { path: "/tokens", role: "subscriber" },
  { path: "/playground", role: "subscriber" },
  { path: "/doctor", role: "subscriber" },
];

type Scores = Record<(typeof CATEGORIES)[number], number>;

/** Audits a page in a separate browser. */
async function audit(url: string, cookie: string | null, form: "mobile" | "desktop") {
  const { executablePath = "", args = [] } = await chromiumLaunchOptions();
  const chrome = await launch({
    chromePath: executablePath,
    chromeFlags: args,
    ignoreDefaultFlags: true,
  });
  try {
    const result = await lighthouse(
      url,
      {
        port: chrome.port,
        logLevel: "error",
        onlyCategories: [...CATEGORIES],
        // Private pages are not for search engines.
        ...(cookie && { extraHeaders: { cookie }, skipAudits: ["is-crawlable"] }),
      },
      form === "desktop" ? desktopConfig : undefined,
    );
    const { categories = {}, audits = {}, finalDisplayedUrl = "" } = result?.lhr ?? {};
    if (new URL(finalDisplayedUrl).pathname !== new URL(url).pathname) {
      throw new Error(`${url} redirected to ${finalDisplayedUrl}.`);
    }
    if (process.env.LIGHTHOUSE_DETAILS) {
      for (const { id, score, scoreDisplayMode, displayValue } of Object.values(audits)) {
        const isMetric = ["metricSavings", "numeric", "binary"].includes(scoreDisplayMode);
        if (isMetric && score !== null && score < 0.95)
          console.log(`  ${id} ${score} ${displayValue ?? ""}`);
      }
    }
    return Object.fromEntries(
      CATEGORIES.map((name) => [name, Math.round((categories[name]?.score ?? 0) * 100)]),
    ) as Scores;
  } finally {
    chrome.kill();
  }
}

const sandbox = await bootSandbox();
const browser = await openBrowser();
try {
  const { plans } = await readSandboxFile(`${sandbox.dataDir}/sandbox.json`);
  const cookieOf = async (role: "builder" | "subscriber") => {
    const page = await openPage(browser, sandbox.url, role);
    const cookies = await page.context().cookies();
    return cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
  };
  const cookies = { builder: await cookieOf("builder"), subscriber: await cookieOf("subscriber") };
  await browser.close();
  console.log(`perf  a11y  best   seo  median of ${RUNS}`);
  let lowest = 100;
  for (const form of ["desktop", "mobile"] as const) {
    for (const { path, role } of PAGES) {
      if (ONLY && !ONLY.includes(path)) continue;
      const runs: Scores[] = [];
      for (let run = 0; run < RUNS; run += 1) {
        runs.push(
          await audit(
            sandbox.url + path.replace(":crypto", plans.crypto),
            role && cookies[role],
            form,
          ),
        );
      }
      const scores = CATEGORIES.map((name) =>
        quantile(
          runs.map((scores) => scores[name]),
          0.5,
        ),
      );
      lowest = Math.min(lowest, ...scores);
      const isUnder = scores.some((score) => score < BAR);
      if (isUnder) process.exitCode = 1;
      const columns = scores.map((score) => String(score).padStart(4)).join("  ");
      console.log(`${columns}  ${form} ${path}${isUnder ? "  UNDER" : ""}`);
    }
  }
  console.log(`lowest median ${lowest}`);
} finally {
  await browser.close();
  await sandbox.stop();
}
