import { readSandbox } from "../support/sandbox-file.ts";
import { signInAfresh, signInAsDemo } from "../support/sign-in.ts";
import { expect, test } from "../support/test.ts";

test("a page that a control opened has the focus on its heading", async ({ page }) => {
  await signInAfresh(page);
  const heading = (name: string | RegExp) => page.getByRole("heading", { level: 1, name });
  await page.goto("/delegations");
  await page.getByRole("main").getByRole("link", { name: "New delegation" }).first().press("Enter");
  await expect(heading("New delegation")).toBeFocused();
  await page.getByRole("button", { name: "Create delegation" }).press("Enter");
  await expect(heading(/^Delegation /)).toBeFocused();
  await page.getByRole("button", { name: "Revoke" }).press("Enter");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Revoke delegation" }).press("Enter");
  await expect(dialog).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Revoke" })).toHaveCount(0);
  await expect(heading(/^Delegation /)).toBeFocused();
  await page.goBack();
  await expect(heading("New delegation")).toBeFocused();
});

test("a box without a visible label can be pressed beside it", async ({ page }) => {
  const { agent } = await readSandbox();
  await signInAsDemo(page, "builder");
  await page.goto(`/agents/${agent.agentId}/endpoints`);
  const box = page.getByRole("checkbox", { name: /^Include / }).first();
  const { x = 0, y = 0 } = (await box.boundingBox()) ?? {};
  const before = await box.isChecked();
  await page.mouse.click(x - 3, y - 3);
  await expect(box).toBeChecked({ checked: !before });
});
