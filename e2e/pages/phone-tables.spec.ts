import type { Page } from "@playwright/test";
import { untilHydrated } from "../support/hydrated.ts";
import { loadedWorld } from "../support/loaded-world.ts";
import { signInAsDemo } from "../support/sign-in.ts";
import { expect, takePicture, test } from "../support/test.ts";

/** Cells of rows, by their text, that are away from the edges of their row: labelled values from one, buttons from both. */
const strayCells = (page: Page): Promise<{ rows: number; stray: string[] }> =>
  page.evaluate(() => {
    const rows = [...document.querySelectorAll("tbody tr")].filter((row) =>
      row.querySelector("td[data-label]"),
    );
    const stray = rows.flatMap((row) => {
      const { left, right } = row.getBoundingClientRect();
      const [start, end] = ["padding-left", "padding-right"].map((side) =>
        Number.parseFloat(getComputedStyle(row).getPropertyValue(side)),
      );
      const isAt = (one: number, other: number) => Math.abs(one - other) < 2;
      return [...row.querySelectorAll("td")]
        .filter((cell) => cell.offsetParent !== null)
        .filter((cell) => {
          const box = cell.getBoundingClientRect();
          const isAtStart = isAt(box.left, left + (start ?? 0));
          const isAtEnd = isAt(box.right, right - (end ?? 0));
          return cell.dataset.label ? !(isAtStart && isAtEnd) : !(isAtStart || isAtEnd);
        })
        .map((cell) => `${cell.dataset.label ?? ""} ${cell.textContent}`.trim());
    });
    return { rows: rows.length, stray };
  });

test("on a phone, a row's values and buttons share the edges of its card @long", async ({
  page,
}) => {
  test.setTimeout(180_000);
  const { agentId } = await loadedWorld();
  await signInAsDemo(page, "builder");
  await page.setViewportSize({ width: 390, height: 844 });
  for (const path of [
    "/settings/api-keys",
    "/balance/statements",
    "/balance/disputes",
    `/agents/${agentId}/plans`,
    `/agents/${agentId}/endpoints`,
    "/agents",
    "/activity/reconcile",
    "/activity/errors",
    "/alerts",
    "/customers",
    "/earnings",
  ]) {
    await page.goto(path);
    await expect(page.locator("td[data-label]").first(), path).toBeVisible();
    await untilHydrated(page);
    const { rows, stray } = await strayCells(page);
    expect(rows, path).toBeGreaterThan(0);
    expect(stray, path).toEqual([]);
    await takePicture(page, `phone-table${path.replaceAll(/[^a-z]+/g, "-")}`);
  }
});
