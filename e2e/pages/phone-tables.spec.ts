import type { Page } from "@playwright/test";
import { untilHydrated } from "../support/hydrated.ts";
import { loadedWorld } from "../support/loaded-world.ts";
import { clientOf, readSandbox } from "../support/sandbox-file.ts";
import { signInAsDemo } from "../support/sign-in.ts";
import { expect, takePicture, test } from "../support/test.ts";

/**
 * Cells of rows, by their text, that break the edges of their row: a line begins at one and ends at the other, where a
 * labelled value alone on its line fills it and a button alone may be at either. Left-aligned values end where they end.
 */
const strayCells = (page: Page): Promise<{ rows: number; stray: string[] }> =>
  page.evaluate(() => {
    const rows = [...document.querySelectorAll("tbody tr")].filter((row) =>
      row.querySelector("td[data-label]"),
    );
    const linesOf = (row: Element): HTMLElement[][] => {
      const cells = [...row.querySelectorAll("td")]
        .filter((cell) => cell.offsetParent !== null)
        .map((cell) => ({ cell, box: cell.getBoundingClientRect() }))
        .toSorted((one, other) => one.box.top - other.box.top);
      const lines: (typeof cells)[] = [];
      for (const placed of cells) {
        const line = lines.at(-1);
        if (line?.some(({ box }) => placed.box.top < box.bottom - 1)) line.push(placed);
        else lines.push([placed]);
      }
      return lines.map((line) =>
        line.toSorted((one, other) => one.box.left - other.box.left).map(({ cell }) => cell),
      );
    };
    const stray = rows.flatMap((row) => {
      const { left, right } = row.getBoundingClientRect();
      const [start = 0, end = 0] = ["padding-left", "padding-right"].map((side) =>
        Number.parseFloat(getComputedStyle(row).getPropertyValue(side)),
      );
      const isAtStart = (cell: Element) =>
        Math.abs(cell.getBoundingClientRect().left - left - start) < 2;
      const isAtEnd = (cell: Element) =>
        getComputedStyle(cell).justifyContent === "flex-start" ||
        Math.abs(cell.getBoundingClientRect().right - right + end) < 2;
      return linesOf(row)
        .filter(([first, ...others]) => {
          if (!first) return false;
          const last = others.at(-1);
          if (last) return !(isAtStart(first) && isAtEnd(last));
          return first.dataset.label
            ? !(isAtStart(first) && isAtEnd(first))
            : !(isAtStart(first) || isAtEnd(first));
        })
        .map((line) =>
          line.map((cell) => `${cell.dataset.label ?? ""} ${cell.textContent}`.trim()).join(" | "),
        );
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

test("on a phone a screen reader hears what the state of a row is", async ({ page }) => {
  const { subscriber } = await readSandbox();
  await clientOf(subscriber).delegation.createDelegation({
    provider: "erc4337",
    spendingLimitCents: 500n,
    durationSecs: 3_600,
    currency: "usd",
  });
  await signInAsDemo(page, "subscriber");
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/delegations");
  await expect(page.getByRole("table").getByText("Active").first()).toBeVisible();
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send("Accessibility.getFullAXTree");
  const texts = nodes.map(({ name }) => `${name?.value}`.trim());
  expect(texts).toContain("Status:");
});
