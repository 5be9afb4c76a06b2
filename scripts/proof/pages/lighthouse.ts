import { launch } from "chrome-launcher";
import lighthouse, { desktopConfig } from "lighthouse";
import { bootSandbox } from "../../../e2e/support/boot-sandbox.ts";
import { chromiumLaunchOptions } from "../../../e2e/support/chromium.ts";
import { readSandboxFile } from "../../../lib/sandbox/sandbox-file.ts";
import { quantile } from "../measure.ts";
import { openBrowser, openPage } from "./open-browser.ts";

const RUNS = Number(process.env.LIGHTHOUSE_RUNS ?? 3);
/** Scores, by form; and the largest paint on a phone, of the first pages people meet. */
const BARS = { desktop: 95, mobile: 97 };
const PAINT_MS = 1_200;
const PAINTS = ["/", "/playground", "/home"];
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
  { path: "/activity", role: "builder" },
  { path: "/alerts", role: "builder" },
  { path: "/approvals", role: "builder" },
  { path: "/balance", role: "builder" },
  { path: "/balance/statements", role: "builder" },
  { path: "/customers", role: "builder" },
  { path: "/docs", role: null },
  { path: "/docs/api", role: null },
  { path: "/earnings", role: "builder" },
  { path: "/p/:crypto", role: null },
  { path: "/settings/api-keys", role: "builder" },
  { path: "/settings/budgets", role: "builder" },
  { path: "/settings/webhooks", role: "builder" },
];

type Scores = Record<(typeof CATEGORIES)[number] | "paintMs", number>;

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
    const paintMs = audits["largest-contentful-paint"]?.numericValue;
    if (!paintMs) throw new Error(`${url} has no largest paint.`);
    return {
      ...Object.fromEntries(
        CATEGORIES.map((name) => [name, Math.round((categories[name]?.score ?? 0) * 100)]),
      ),
      paintMs: Math.round(paintMs),
    } as Scores;
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
  const lowest = { desktop: 100, mobile: 100 };
  const paints: string[] = [];
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
      const median = (name: keyof Scores) =>
        quantile(
          runs.map((scores) => scores[name]),
          0.5,
        );
      const scores = CATEGORIES.map(median);
      const paintMs = median("paintMs");
      lowest[form] = Math.min(lowest[form], ...scores);
      const isPaint = form === "mobile" && PAINTS.includes(path);
      if (isPaint) paints.push(`${path} ${paintMs} ms`);
      const isUnder = scores.some((score) => score < BARS[form]) || (isPaint && paintMs > PAINT_MS);
      if (isUnder) process.exitCode = 1;
      const columns = scores.map((score) => String(score).padStart(4)).join("  ");
      console.log(
        `${columns}  ${form} ${path}, largest paint ${paintMs} ms${isUnder ? "  UNDER" : ""}`,
      );
    }
  }
  console.log(
    `lowest median ${lowest.desktop} on desktop, ${lowest.mobile} on mobile; largest paint ${paints.join(", ")}`,
  );
} finally {
  await browser.close();
  await sandbox.stop();
}
