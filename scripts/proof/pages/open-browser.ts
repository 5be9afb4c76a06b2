import { type Browser, chromium, type Page } from "@playwright/test";
import { chromiumLaunchOptions } from "../../../e2e/support/chromium.ts";
import { signInAsDemo } from "../../../e2e/support/sign-in.ts";

/** A real browser before a running service; `origin` is where its pages are. */
export async function openBrowser(): Promise<Browser> {
  return chromium.launch(await chromiumLaunchOptions());
}

/** A fresh page signed in as one of the sandbox's inhabitants. */
export async function openPage(
  browser: Browser,
  origin: string,
  role: "builder" | "subscriber",
): Promise<Page> {
  const context = await browser.newContext({ baseURL: origin });
  const page = await context.newPage();
  await signInAsDemo(page, role);
  return page;
}
