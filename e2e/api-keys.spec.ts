import type { Page } from "@playwright/test";
import { ageSignIn } from "./support/age-sign-in.ts";
import { signInAfresh, signInAsDemo, signUp } from "./support/sign-in.ts";
import { signInWithWallet } from "./support/subscriber.ts";
import { expect, test } from "./support/test.ts";

const PATH = "/settings/api-keys";

async function openForm(page: Page): Promise<void> {
  await page.goto(PATH);
  await page.getByRole("button", { name: "Create key" }).click();
  await expect(page.getByRole("dialog", { name: "Create API key" })).toBeVisible();
}

async function createKey(page: Page, name: string, preset: string): Promise<string> {
  await openForm(page);
  await page.getByLabel("Name").fill(name);
  await page.getByRole("radio", { name: preset }).first().check();
  await page.getByRole("button", { name: "Create key" }).click();
  const apiKey = (await page.locator("[data-secret]").textContent()) ?? "";
  await page.getByRole("button", { name: "I have copied it" }).click();
  return apiKey;
}

test("a gate key is created, rotated with an overlap, and revoked", async ({ page }) => {
  await signInAfresh(page);
  const call = (apiKey: string, path: string) =>
    page.request.get(`/api/v1${path}`, { headers: { authorization: `Bearer ${apiKey}` } });
  const old = await createKey(page, "Production gate", "Gate");
  expect((await call(old, "/protocol/plans")).status()).toBe(200);
  const refused = await call(old, "/api-keys");
  expect([refused.status(), (await refused.json()).message]).toEqual([
    403,
    "listApiKeys needs the scope keys:read, which this API key does not have.",
  ]);

  await page.getByRole("button", { name: "Rotate Production gate" }).click();
  await expect(
    page.getByText("This key can charge calls and read plans and agents."),
  ).toBeVisible();
  await page.getByRole("button", { name: "Create key" }).click();
  const next = (await page.locator("[data-secret]").textContent()) ?? "";
  await page.getByRole("button", { name: "I have copied it" }).click();
  const overlap = page.getByRole("row").filter({ hasText: "Overlap" });
  await expect(overlap).toContainText(`Replaced by …${next.slice(-4)}`);
  for (const key of [old, next]) expect((await call(key, "/protocol/plans")).status()).toBe(200);

  await overlap.getByRole("button", { name: "Revoke Production gate" }).click();
  await page.getByRole("button", { name: "Revoke key" }).click();
  // While the dialog is open, the rows behind it are hidden and would count as gone.
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(page.getByText("Expired or revoked 1")).toBeVisible();
  await expect(overlap).toHaveCount(0);
  expect((await call(old, "/protocol/plans")).status()).toBe(401);
  expect((await call(next, "/protocol/plans")).status()).toBe(200);
  await page.getByText("Expired or revoked 1").click();
  await expect(page.getByRole("row").filter({ hasText: "Revoked" })).toHaveCount(1);
});

test("a key expires by the service's clock on a computer whose clock is wrong", async ({
  page,
}) => {
  await signInAfresh(page);
  const day = 86_400_000;
  await page.clock.setSystemTime(Date.now() - 30 * day);
  const apiKey = await createKey(page, "Wrong clock", "Gate");
  expect(apiKey).not.toBe("");
  const row = await page.getByRole("row").filter({ hasText: "Wrong clock" }).textContent();
  await openForm(page);
  const text = (await page.getByText(/It expires on/).textContent()) ?? "";
  const [, shown = ""] = /It expires on (\d+ \w+ \d{4})/.exec(text) ?? [];
  expect(row).toContain(shown);
});

test("scopes that are changed make a custom key @long", async ({ page }) => {
  await signInAfresh(page);
  await openForm(page);
  await page.getByLabel("Name").fill("Nightly report");
  await page.getByRole("radio", { name: "Calls: Read" }).check();
  await expect(page.getByText("Gate, changed")).toBeVisible();
  await page.getByRole("radio", { name: "Calls: Write" }).check();
  await expect(page.getByText("Gate, changed")).toBeHidden();
  await page.getByRole("radio", { name: "Activity: Read" }).check();
  await page.getByRole("button", { name: "Create key" }).click();
  await page.getByRole("button", { name: "I have copied it" }).click();
  const row = page.getByRole("row").filter({ hasText: "Nightly report" });
  await expect(row).toContainText("Custom");
  await expect(row).toContainText("Charge calls; read plans, agents and activity");
});

for (const { who, signIn, button } of [
  {
    who: "a passkey",
    signIn: signUp,
    button: "Confirm with passkey",
  },
  {
    who: "the demo's sign-in",
    signIn: (page: Page) => signInAsDemo(page, "builder"),
    button: "Continue as demo builder",
  },
]) {
  test(`an old sign-in is confirmed with ${who}, and nothing typed is lost`, async ({ page }) => {
    await signIn(page);
    await openForm(page);
    await ageSignIn(page, PATH, "Old browser");
    await page.getByLabel("Name").fill("Old browser");
    await page.getByRole("radio", { name: "Read-only" }).check();
    await page.getByRole("button", { name: "Create key" }).click();
    const confirm = page.getByRole("dialog", { name: "Confirm it’s you" });
    await confirm.getByRole("button", { name: "Cancel" }).click();
    await expect(page.getByLabel("Name")).toHaveValue("Old browser");
    await expect(page.getByRole("radio", { name: "Read-only" })).toBeChecked();

    await ageSignIn(page, PATH, "Old browser");
    await page.getByRole("button", { name: "Create key" }).click();
    await confirm.getByRole("button", { name: button }).click();
    await expect(page.locator("[data-secret]")).toBeVisible();
  });
}

test("an old sign-in is confirmed by a wallet's signature, and a declined one creates no key @long", async ({
  page,
}) => {
  const wallet = await signInWithWallet(page);
  const signatures = () => wallet.asked.filter((method) => method === "personal_sign").length;
  const before = signatures();
  await openForm(page);
  await page.getByLabel("Name").fill("Old browser");
  await page.getByRole("radio", { name: "Read-only" }).check();
  const confirm = page.getByRole("dialog", { name: "Confirm it’s you" });
  const sign = async () => {
    await ageSignIn(page, PATH, "Old browser");
    await page.getByRole("button", { name: "Create key" }).click();
    await confirm.getByRole("button", { name: "Confirm with wallet" }).click();
    await page.getByRole("button", { name: "Test wallet" }).click();
  };
  wallet.rejectNext("personal_sign");
  await sign();
  await expect(confirm.getByText("You were not confirmed.")).toBeVisible();
  await expect(page.locator("[data-secret]")).toHaveCount(0);
  await confirm.getByRole("button", { name: "Cancel" }).click();
  await expect(page.getByLabel("Name")).toHaveValue("Old browser");

  // The wallet is chosen anew: another one may be the account's.
  await sign();
  await expect(page.locator("[data-secret]")).toBeVisible();
  expect(signatures() - before).toBe(2);
});
