import { readFileSync } from "node:fs";
import { chromium } from "@playwright/test";
import { chromiumLaunchOptions } from "../e2e/support/chromium.ts";

const url = readFileSync("/tmp/docs-url", "utf8").split("\n")[0];
const browser = await chromium.launch(await chromiumLaunchOptions());
const list = process.argv.slice(2);
for (const item of list) {
  const [path, name, width, scheme, full] = item.split(",");
  const ctx = await browser.newContext({
    viewport: { width: Number(width), height: 900 },
    colorScheme: scheme as never,
    reducedMotion: "reduce",
  });
  const page = await ctx.newPage();
  page.on("console", (m) => {
    if (m.type() === "error") console.log(name, "console:", m.text().slice(0, 300));
  });
  page.on("pageerror", (e) => console.log(name, "pageerror", String(e).slice(0, 300)));
  const r = await page.goto(url + path, { waitUntil: "networkidle" });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  console.log(name, r?.status(), wide ? "SIDEWAYS" : "");
  await page.screenshot({ path: `/tmp/shots/${name}.png`, fullPage: full !== "no" });
  await ctx.close();
}
await browser.close();
