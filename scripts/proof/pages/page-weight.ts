import { gzipSync } from "node:zlib";
import type { Page } from "@playwright/test";
import { bootSandbox } from "../../../e2e/support/boot-sandbox.ts";
import { openBrowser, openPage } from "./open-browser.ts";

/** The most JavaScript a page may load at first, in KB of gzip. */
const LIST_KB = 170;
const CHECKOUT_KB = 350;

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
  { path: "/checkout/:card", role: "subscriber", barKb: CHECKOUT_KB },
];

/** What a page's scripts weigh when it is opened with an empty cache. */
async function weigh(page: Page, path: string): Promise<number> {
  const scripts: Promise<number>[] = [];
  const fresh = await page.context().newPage();
  fresh.on("response", (response) => {
    if (response.request().resourceType() !== "script") return;
    scripts.push(
      response.body().then(
        (body) => gzipSync(body).length,
        () => 0,
      ),
    );
  });
  await fresh.goto(path, { waitUntil: "load" });
  await fresh.waitForTimeout(500);
  const bytes = await Promise.all(scripts);
  await fresh.close();
  return bytes.reduce((sum, size) => sum + size, 0) / 1024;
}

const sandbox = await bootSandbox();
const browser = await openBrowser();
try {
  const { plans } = await (await import("../../../lib/server/sandbox-file.ts")).readSandboxFile(
    `${sandbox.dataDir}/sandbox.json`,
  );
  const pages = {
    builder: await openPage(browser, sandbox.url, "builder"),
    subscriber: await openPage(browser, sandbox.url, "subscriber"),
  };
  console.log("KB of gzip  bar  page");
  let heaviest = 0;
  for (const { path, role, barKb } of PAGES) {
    const kb = await weigh(pages[role], path.replace(":card", plans.card));
    const isOver = kb > barKb;
    if (barKb === LIST_KB) heaviest = Math.max(heaviest, kb);
    console.log(`${kb.toFixed(0).padStart(10)}  ${barKb}  ${path}${isOver ? "  OVER" : ""}`);
    if (isOver) process.exitCode = 1;
  }
  console.log(`heaviest list page ${heaviest.toFixed(0)} KB of ${LIST_KB}`);
} finally {
  await browser.close();
  await sandbox.stop();
}
