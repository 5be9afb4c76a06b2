import { readSandbox } from "./support/sandbox-file.ts";
import { addAuthenticator, clickDemo, signInAsDemo } from "./support/sign-in.ts";
import { expect, test } from "./support/test.ts";
import { addWallet } from "./support/wallet.ts";

test.describe("signing in", () => {
  test("returns to the requested page", async ({ page }) => {
    await page.goto("/settings/profile?tab=1");
    await expect(page).toHaveURL("/sign-in?next=%2Fsettings%2Fprofile%3Ftab%3D1");
    await page.getByRole("button", { name: "Continue as demo subscriber" }).click();
    await expect(page).toHaveURL("/settings/profile?tab=1");
  });

  test("never redirects to another site @long", async ({ page }) => {
    await page.goto("/sign-in?next=//evil.example");
    await page.getByRole("button", { name: "Continue as demo builder" }).click();
    await expect(page).toHaveURL("/home");
  });

  test("a wallet signs a message and opens the same account each time", async ({ page }) => {
    const wallet = await addWallet(page);
    const address = async () => {
      await page.goto("/sign-in");
      await page.getByRole("button", { name: "Continue with a wallet" }).click();
      await page.getByRole("button", { name: "Test wallet" }).click();
      await page.waitForURL("**/home");
      return page.getByRole("button", { name: /^Account / }).getAttribute("title");
    };
    const first = await address();
    expect(first).toMatch(/^0x[0-9a-fA-F]{40}$/);
    // The account is the wallet's smart account, not the wallet address.
    expect(first).not.toBe(wallet.account.address);
    await page.getByRole("button", { name: /^Account / }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.waitForURL("/");
    await page.evaluate(() => localStorage.clear());
    expect(await address()).toBe(first);
    expect(wallet.asked).not.toContain("eth_sendTransaction");
  });

  test("a wallet that declines changes nothing", async ({ page }) => {
    const wallet = await addWallet(page);
    wallet.rejectNext("personal_sign");
    await page.goto("/sign-in");
    await page.getByRole("button", { name: "Continue with a wallet" }).click();
    await page.getByRole("button", { name: "Test wallet" }).click();
    await expect(
      page
        .getByRole("alert")
        .filter({ hasText: "You closed the request in your wallet. Nothing was sent." }),
    ).toBeVisible();
    // Another wallet may be the right one: it is chosen anew.
    await page.getByRole("button", { name: "Continue with a wallet" }).click();
    await page.getByRole("button", { name: "Test wallet" }).click();
    await page.waitForURL("**/home");
  });

  test("a wallet that never answers is canceled, and another method signs in @long", async ({
    page,
  }) => {
    const wallet = await addWallet(page);
    wallet.ignoreNext("personal_sign");
    await page.goto("/sign-in");
    await page.getByRole("button", { name: "Continue with a wallet" }).click();
    await page.getByRole("button", { name: "Test wallet" }).click();
    await expect(page.getByText("Sign the message in your wallet.")).toBeVisible();
    await page.getByRole("button", { name: "Cancel" }).click();
    await expect(page.getByRole("heading", { name: "Sign in", level: 1 })).toBeFocused();
    await page.getByRole("button", { name: "Continue as demo builder" }).click();
    await page.waitForURL("**/home");
  });

  test("a passkey creates an account and signs in to it again", async ({ page }) => {
    await addAuthenticator(page);
    await page.goto("/sign-in");
    await page.getByRole("button", { name: "New here? Sign up with a passkey" }).click();
    await page.waitForURL("**/home");
    const account = page.getByRole("button", { name: /^Account / });
    const first = await account.getAttribute("title");
    await account.click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.waitForURL("/");
    await page.goto("/sign-in");
    await page.getByRole("button", { name: "Continue with a passkey" }).click();
    await page.waitForURL("**/home");
    expect(await account.getAttribute("title")).toBe(first);
  });
});

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("the demo signs in by form and returns to the requested page", async ({ page }) => {
    await page.goto("/settings/profile?tab=1");
    await page.getByRole("button", { name: "Continue as demo builder" }).click();
    await expect(page).toHaveURL("/settings/profile?tab=1");
    await expect(page.getByRole("heading", { level: 1, name: "Profile" })).toBeVisible();
    const { builder } = await readSandbox();
    await expect(page.getByRole("button", { name: /^Account / })).toHaveAttribute(
      "title",
      builder.address,
    );
  });

  test("the form never redirects to another site and rejects cross-site sign-ins", async ({
    page,
  }) => {
    await page.goto("/sign-in");
    const fields = await page
      .locator("form input[type=hidden]")
      .evaluateAll((inputs) =>
        (inputs as HTMLInputElement[]).map(({ name, value }) => [name, value]),
      );
    const send = (origin: Record<string, string>, next: string) => {
      const body = new FormData();
      for (const [name = "", value = ""] of fields) body.set(name, value);
      body.set("role", "builder");
      body.set("next", next);
      return fetch(page.url(), { method: "POST", body, headers: origin, redirect: "manual" });
    };
    const { origin } = new URL(page.url());
    for (const foreign of [{}, { origin: "null" }, { origin: "https://evil.example" }]) {
      const answer = await send(foreign as Record<string, string>, "/home");
      expect(answer.headers.get("set-cookie"), JSON.stringify(foreign)).toBeNull();
      expect(answer.headers.get("location"), JSON.stringify(foreign)).toBeNull();
    }
    const answer = await send({ origin }, "//evil.example");
    expect(answer.headers.get("set-cookie")).toContain("turnpike-session=");
    expect(new URL(answer.headers.get("location") ?? "", origin).href).toBe(`${origin}/home`);
  });
});

test("a change from another origin, from none, or from a sandboxed frame is rejected", async ({
  page,
}) => {
  await signInAsDemo(page, "builder");
  // The id of a real server action.
  await page.goto("/settings/profile");
  const asked = page.waitForRequest((request) => request.headers()["next-action"] !== undefined);
  await page.getByLabel("Name").fill("Before");
  await page.getByRole("button", { name: "Save name" }).click();
  const request = await asked;
  const body = request.postData() ?? "";
  const { "next-action": action = "", "content-type": type = "" } = request.headers();
  const [cookie] = (await page.context().cookies()).filter(({ name }) =>
    name.endsWith("turnpike-session"),
  );
  const { hostname, port } = new URL(page.url());
  const send = (origin: Record<string, string>) =>
    fetch(`http://${hostname}:${port}/settings/profile`, {
      method: "POST",
      body: body.replace("Before", "After"),
      headers: {
        "next-action": action,
        "content-type": type,
        cookie: `${cookie?.name}=${cookie?.value}`,
        ...origin,
      },
    });
  for (const origin of [
    {},
    { origin: "null" },
    { origin: "https://evil.example" },
    { origin: `http://evil.${hostname}:${port}` },
  ]) {
    const answer = await send(origin as Record<string, string>);
    const text = await answer.text();
    expect(
      answer.status >= 400 || text.includes('"code":"forbidden"'),
      JSON.stringify(origin),
    ).toBe(true);
  }
  await page.reload();
  await expect(page.getByLabel("Name")).toHaveValue("Before");
});

test("the keyboard navigates everywhere: search, and g with a letter @long", async ({ page }) => {
  await clickDemo(page, "builder");
  await page.keyboard.press("g");
  await page.keyboard.press("k");
  await expect(page).toHaveURL("/settings/api-keys");
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("dialog")).toBeVisible();
  await page.keyboard.type("zzzz");
  await expect(page.getByText("No matches.")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
});
