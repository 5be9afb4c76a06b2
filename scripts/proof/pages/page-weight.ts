import { gzipSync } from "node:zlib";
import type { Page } from "@playwright/test";
import { bootSandbox } from "../../../e2e/support/boot-sandbox.ts";
import { readSandboxFile } from "../../../lib/sandbox/sandbox-file.ts";
import { openBrowser, openPage } from "./open-browser.ts";

/** The maximum initial JavaScript of a page, in gzipped KB. */
const LIST_KB = 178;
/** The limit for interactive tools: parsers, engines and dialogs load on demand (ADR 42). */
const TOOL_KB = 215;
const CHECKOUT_KB = 350;
/** What the framework alone takes: a page that loads less did not load. */
const LEAST_KB = 100;

const PAGES: { path: string; role: "builder" | "subscriber"; barKb: number }[] = [
  { path: "/plans", role: "builder", barKb: LIST_KB },
  { path: "/agents", role: "builder", barKb: LIST_KB },
  { path: "/activity", role: "builder", barKb: LIST_KB },
  { path: "/explore", role: "subscriber", barKb: LIST_KB },
  { path: "/subscriptions", role: "subscriber", barKb: LIST_KB },
  { path: "/delegations", role: "subscriber", barKb: LIST_KB },
  { path: "/tokens", role: "subscriber", barKb: LIST_KB },
  { path: "/payment-methods", role: "subscriber", barKb: LIST_KB },
  { path: "/settings/api-keys", role: "builder", barKb: LIST_KB },
  { path: "/plans/new", role: "builder", barKb: TOOL_KB },
  { path: "/playground", role: "subscriber", barKb: TOOL_KB },
  { path: "/checkout/:card", role: "subscriber", barKb: CHECKOUT_KB },
];

type Weight = { firstKb: number; aheadKb: number };

/** The size of a page's scripts with an empty cache: its own, and those prefetched for its links. */
async function weigh(page: Page, path: string): Promise<Weight> {
  const scripts: Promise<{ url: string; bytes: number }>[] = [];
  const fresh = await page.context().newPage();
  fresh.on("response", (response) => {
    if (response.request().resourceType() !== "script") return;
    const url = new URL(response.url()).pathname;
    scripts.push(
      response.body().then(
        (body) => ({ url, bytes: gzipSync(body).length }),
        () => ({ url, bytes: 0 }),
      ),
    );
  });
  const document = await fresh.goto(path, { waitUntil: "load" });
  const html = (await document?.text()) ?? "";
  await fresh.waitForLoadState("networkidle");
  const weights = await Promise.all(scripts);
  await fresh.close();
  const sum = (isFirst: boolean) =>
    weights
      .filter(({ url }) => html.includes(`src="${url}"`) === isFirst)
      .reduce((total, { bytes }) => total + bytes, 0) / 1024;
  return { firstKb: sum(true), aheadKb: sum(false) };
}

const sandbox = await bootSandbox();
const browser = await openBrowser();
try {
  const { plans } = await readSandboxFile(`${sandbox.dataDir}/sandbox.json`);
  const pages = {
    builder: await openPage(browser, sandbox.url, "builder"),
    subscriber: await openPage(browser, sandbox.url, "subscriber"),
  };
  console.log("KB of gzip  bar  fetched ahead  page");
  let heaviest = 0;
  for (const { path, role, barKb } of PAGES) {
    const { firstKb, aheadKb } = await weigh(pages[role], path.replace(":card", plans.card));
    const verdict = firstKb > barKb ? "OVER" : firstKb < LEAST_KB ? "NOT LOADED" : "";
    if (barKb === LIST_KB) heaviest = Math.max(heaviest, firstKb);
    console.log(
      `${firstKb.toFixed(0).padStart(10)}  ${barKb}  ${aheadKb.toFixed(0).padStart(13)}  ${path}  ${verdict}`,
    );
    if (verdict) process.exitCode = 1;
  }
  console.log(`heaviest list page ${heaviest.toFixed(1)} KB of ${LIST_KB}`);
} finally {
  await browser.close();
  await sandbox.stop();
}
