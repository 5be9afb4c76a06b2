import type { Locator, Page } from "@playwright/test";
import { addAuthenticator } from "./support/sign-in.ts";
import { callAgent, type Market, openMarket, tabTo, watchClipboard } from "./support/subscriber.ts";
import { expect, takePicture, test } from "./support/test.ts";

const PATIENCE_MS = 30_000;

let market: Market;

test.beforeAll(async () => {
  market = await openMarket();
});

/** Blocks every pointer event in the page; a key press also clicks, with detail 0. */
async function blockMouse(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const swallow = (event: Event) => {
      if (event.type === "click" && (event as MouseEvent).detail === 0) return;
      event.stopImmediatePropagation();
      event.preventDefault();
    };
    for (const type of [
      ...["pointerdown", "pointerup", "mousedown", "mouseup", "click", "dblclick"],
      ...["touchstart", "touchend", "contextmenu"],
    ]) {
      addEventListener(type, swallow, { capture: true, passive: false });
    }
  });
}

/** Whether the focused element has a visible outline or shadow. */
const showsFocus = (target: Locator): Promise<boolean> =>
  target.evaluate((element) => {
    const marks = [element, element.parentElement].filter((one) => one !== null);
    return marks.some((one) => {
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(one);
      return (
        (outlineStyle !== "none" && Number.parseFloat(outlineWidth) > 0) || boxShadow !== "none"
      );
    });
  });

/** Tabs to an element, checks that its focus is visible, and presses it. */
function keysOf(page: Page) {
  let presses = 0;
  const press = async (target: Locator, key = "Enter") => {
    await expect(target).toBeEnabled({ timeout: PATIENCE_MS });
    await tabTo(page, target);
    expect(await showsFocus(target), `focus is seen on ${target}`).toBe(true);
    await page.keyboard.press(key);
    presses += 1;
  };
  return {
    presses: () => presses,
    button: (name: string | RegExp) => press(page.getByRole("button", { name, exact: true })),
    link: (name: string | RegExp) => press(page.getByRole("link", { name, exact: true }).first()),
    on: (target: Locator) => press(target),
  };
}

async function signInByKeyboard(page: Page, keys: ReturnType<typeof keysOf>): Promise<void> {
  await addAuthenticator(page);
  await page.goto("/sign-in");
  // The mouse has no effect.
  await page.getByRole("button", { name: "Continue as demo builder" }).click();
  await expect(page).toHaveURL("/sign-in");
  await keys.button("New here? Sign up with a passkey");
  await page.waitForURL("**/home");
}

test("a subscriber orders, mints, runs and revokes without a mouse (A2, A5, A6) @long", async ({
  page,
}) => {
  test.setTimeout(150_000);
  await blockMouse(page);
  const copied = await watchClipboard(page);
  const keys = keysOf(page);
  await signInByKeyboard(page, keys);
  await page.goto(`/p/${market.crypto}`);
  await keys.link("Order plan");
  await page.waitForURL("**/checkout/**");
  await keys.button(/^Pay /);
  await expect(page.getByRole("heading", { name: "100 credits added" })).toBeFocused({
    timeout: PATIENCE_MS,
  });
  await takePicture(page, "keyboard-order");
  await keys.link("Mint access token");
  await keys.button("Mint access token");
  await expect(page.getByRole("heading", { name: "Your access token" })).toBeFocused({
    timeout: PATIENCE_MS,
  });
  await keys.button("Copy token");
  const token = copied.last();
  expect((await callAgent(market, token)).receipt).toMatchObject({ success: true });

  await keys.link("Open in playground");
  await page.waitForURL("**/playground?**");
  await keys.button(/^Run all/);
  await expect(page.getByTestId("pg-money")).toHaveAttribute("data-money", "settled", {
    timeout: PATIENCE_MS,
  });

  await page.goto("/home");
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press("d");
  await page.waitForURL("**/delegations");
  // The token's delegation alone: the playground paid with that token.
  const revokes = page.getByRole("button", { name: /^Revoke (?!all)/ });
  await expect(revokes).toHaveCount(1);
  for (let left = await revokes.count(); left > 0; left--) {
    await keys.on(revokes.first());
    const dialog = page.getByRole("dialog");
    await expect(dialog.getByRole("button", { name: "Keep it" })).toBeFocused();
    await takePicture(page, "keyboard-revoke");
    // A shortcut of the page beneath: `n` opens New delegation.
    await page.keyboard.press("n");
    await expect(dialog).toBeVisible();
    await expect(page).toHaveURL(/\/delegations$/);
    await keys.on(dialog.getByRole("button", { name: "Revoke delegation" }));
    await expect(dialog).toHaveCount(0);
    await expect(revokes).toHaveCount(left - 1);
  }
  const refused = await callAgent(market, token);
  expect(refused.status).toBe(402);
  expect(refused.body).toMatchObject({ code: "invalid_token" });
  console.log(`keyboard: order, mint, run and revoke in ${keys.presses()} presses, mouse blocked`);
});

test("a builder creates a plan from a template without a mouse (A4) @long", async ({ page }) => {
  test.setTimeout(90_000);
  await blockMouse(page);
  const keys = keysOf(page);
  await signInByKeyboard(page, keys);
  await page.goto("/plans");
  await keys.link("New plan");
  await expect(page.getByRole("button", { name: "Continue to price" })).toBeEnabled({
    timeout: PATIENCE_MS,
  });
  await keys.button("Flexible per call");
  await keys.button("Continue to credits");
  await keys.button("Continue to name");
  await tabTo(page, page.getByLabel("Name"));
  await page.keyboard.type("By keyboard alone");
  await keys.button("Create plan");
  await expect(
    page.getByRole("heading", { name: "Plan “By keyboard alone” is ready." }),
  ).toBeFocused({ timeout: PATIENCE_MS });
  await takePicture(page, "keyboard-plan");
  console.log(`keyboard: a plan in ${keys.presses()} presses and a name, mouse blocked`);
});
