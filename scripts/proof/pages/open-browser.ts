import { type Browser, chromium, type Page } from "@playwright/test";
import { chromiumLaunchOptions } from "../../../e2e/support/chromium.ts";
import { signInAsDemo } from "../../../e2e/support/sign-in.ts";

/** A real browser for a running service at `origin`. */
export async function openBrowser(): Promise<Browser> {
  return chromium.launch(await chromiumLaunchOptions());
}

/** A new page signed in with a demo account. */
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
