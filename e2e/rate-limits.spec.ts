import { type BootedSandbox, bootSandbox } from "./support/boot-sandbox.ts";
import { expect, test } from "./support/test.ts";

test.describe("per-minute rate limits", () => {
  let sandbox: BootedSandbox;
  test.beforeAll(async () => {
    test.setTimeout(150_000);
    sandbox = await bootSandbox({
      settings: { SIGN_INS_PER_MINUTE: "2", OUTBOUND_CALLS_PER_MINUTE: "1" },
    });
  });
  test.afterAll(() => sandbox.stop());
  // The browser logs rejected requests too.
  test.use({ mustNotComplain: false });

  test("the third sign-in from an address waits, and the page says how long @long", async ({
    browser,
  }) => {
    test.setTimeout(90_000);
    const context = (options = {}) => browser.newContext({ baseURL: sandbox.url, ...options });
    for (const role of ["builder", "subscriber"]) {
      const page = await (await context()).newPage();
      await page.goto("/sign-in");
      await page.getByRole("button", { name: `Continue as demo ${role}` }).click();
      await page.waitForURL("**/home");
      if (role === "subscriber") await page.context().close();
      else {
        const ask = (path: string, data: unknown) =>
          page.request.post(path, { data, headers: { origin: sandbox.url } });
        const probe = () => ask("/agents/new/probe", { endpoints: [] });
        expect((await probe()).status()).toBe(200);
        const refused = await probe();
        expect(refused.status()).toBe(429);
        expect(Number(refused.headers()["retry-after"])).toBeGreaterThan(0);
        expect(await refused.json()).toMatchObject({ code: "rate_limited" });
        // All requests of an account share one limit.
        const sent = await ask("/playground/send", {
          method: "GET",
          url: sandbox.url,
          headers: [],
          body: null,
        });
        expect(sent.status()).toBe(429);
        await page.goto("/agents/new");
        await page.getByLabel("Agent URL").fill("http://localhost:1/");
        await page.getByLabel("Agent URL").press("Enter");
        await expect(
          page.getByText(/^More than 1 runs and requests of one account in a minute/),
        ).toBeVisible();
      }
    }
    for (const javaScriptEnabled of [true, false]) {
      const page = await (await context({ javaScriptEnabled })).newPage();
      await page.goto("/sign-in");
      await page.getByRole("button", { name: "Continue as demo builder" }).click();
      await expect(page.getByRole("alert").filter({ hasText: "in a minute" })).toContainText(
        /More than 2 attempts to sign in from one address in a minute\. Nothing was done\./,
      );
      await expect(page).toHaveURL(/\/sign-in/);
    }
  });
});
