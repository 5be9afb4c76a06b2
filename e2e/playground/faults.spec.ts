import type { Page } from "@playwright/test";
import { expectGoodLooks } from "../support/look.ts";
import { readSandbox } from "../support/sandbox-file.ts";
import { signInAfresh } from "../support/sign-in.ts";
import { expect, takePicture, test } from "../support/test.ts";

const ALL_TIMEOUT_MS = 240_000;

/** The promised result of each fault: the last step, its reason, the payment status, and what was used or paid. */
type Promised = [step: string, reason: string, money: string, credits: string, paid?: string];
const BY_PLAN: Record<string, Promised> = {
  "no-token": ["3", "", "challenged", "0"],
  "garbage-token": ["4", "invalid_token", "refused", "0"],
  expired: ["4", "expired_token", "refused", "0"],
  "wrong-plan": ["4", "invalid_plan", "refused", "0"],
  "wrong-agent": ["4", "invalid_agent", "refused", "0"],
  "zero-balance": ["4", "insufficient_balance", "refused", "0"],
  "limit-reached": ["4", "insufficient_balance", "refused", "0"],
  "revoked-mid-run": ["5", "invalid_token", "refused", "0"],
  "agent-500": ["5", "", "not-charged", "0"],
  "agent-slow": ["6", "", "settled", "1"],
  "verify-down": ["5", "unavailable", "not-charged", "0"],
  "settle-fails": ["6", "", "delivered-unsettled", ""],
  "settle-reply-lost": ["6", "", "settled", "1"],
  "duplicate-send": ["6", "", "settled", "1"],
  "streaming-reply": ["6", "", "settled", "1"],
  "price-change": ["5", "unavailable", "not-charged", ""],
  "card-declined": ["5", "insufficient_balance", "refused", "0"],
  "three-d-secure": ["5", "insufficient_balance", "refused", "0"],
};
/** Paid is what left the payer's account on chain, in millionths of a dollar. */
const BY_EXACT: Record<string, Promised> = {
  "exact-no-payment": ["3", "", "challenged", "", "0"],
  "exact-over-limit": ["3", "", "challenged", "", "0"],
  "exact-no-funds": ["3", "payment_refused", "challenged", "", "0"],
  "exact-expired": ["4", "authorization_expired", "refused", "", "0"],
  "exact-used": ["5", "", "settled", "", "10000"],
  "exact-duplicate": ["6", "", "settled", "", "10000"],
  "exact-captured-twice": ["6", "", "settled", "", "10000"],
  "exact-work-fails": ["5", "", "unknown", "", "0"],
  "exact-silent": ["5", "", "unknown", "", "0"],
  "exact-denied": ["5", "", "settled", "", "10000"],
  "exact-settle-lost": ["5", "", "settled", "", "10000"],
  "exact-reply-lost": ["5", "", "settled", "", "10000"],
  "exact-client-leaves": ["5", "", "settled", "", "10000"],
  "exact-other-amount": ["5", "", "unknown", "", "0"],
  "exact-other-recipient": ["5", "", "unknown", "", "0"],
  "exact-false-receipt": ["6", "", "unknown", "", "0"],
};
const LABS = {
  crypto: { promised: BY_PLAN, option: "Crypto" },
  card: { promised: BY_PLAN, option: "Card" },
  exact: { promised: BY_EXACT, option: "Exact" },
};
type Lab = keyof typeof LABS;

async function openLab(page: Page, lab: Lab = "crypto"): Promise<void> {
  // Its own test customer, which no other test spends as.
  await signInAfresh(page);
  await page.goto("/playground");
  await page.getByRole("tab", { name: "Faults" }).click();
  await page.getByRole("radio", { name: LABS[lab].option }).click();
}

/** The faults that are active on the lab's plans; other tests arm theirs on their own plans, or in a separate sandbox. */
async function armedFaults(page: Page): Promise<unknown[]> {
  const answer = await page.request.get("/data/listFaults");
  const { items }: { items: { planId?: string }[] } = await answer.json();
  const plans: string[] = Object.values((await readSandbox()).lab.plans);
  return items.filter(({ planId }) => planId === undefined || plans.includes(planId));
}

test.describe.configure({ mode: "serial" });

test.describe("the whole lab", () => {
  // Two labs in a minute exceed the rate limit: the page waits, and the browser logs each 429.
  test.use({ mustNotComplain: false });
  for (const [rail, { promised }] of Object.entries(LABS)) {
    // Each fault runs for real, and some include waiting.
    test(`all faults run for real and end as expected, ${rail} @long`, async ({ page }) => {
      test.setTimeout(ALL_TIMEOUT_MS + 60_000);
      const complaints: string[] = [];
      page.on("console", (message) => {
        if (message.type() === "error" && !message.text().includes("status of 429")) {
          complaints.push(message.text());
        }
      });
      await openLab(page, rail as Lab);
      const count = Object.keys(promised).length;
      await page.getByTestId("pg-faults-run").click();
      const lab = page.getByTestId("pg-faults");
      await expect(lab).toHaveAttribute("data-ended", String(count), { timeout: ALL_TIMEOUT_MS });
      await expect(lab).toHaveAttribute("data-rail", rail);
      await takePicture(page, `playground-faults-all-${rail}`);
      for (const [id, ending] of Object.entries(promised)) await expectAsPromised(page, id, ending);
      await expect(lab.locator("[data-testid^=pg-fault-]")).toHaveCount(count);
      expect(await armedFaults(page)).toEqual([]);
      expect(complaints).toEqual([]);
      const asExpected = await lab.getAttribute("data-as-expected");
      console.log(`failure lab: ${asExpected} of ${count} as expected, ${rail}`);
    });
  }
});

async function expectAsPromised(page: Page, id: string, ending: Promised): Promise<void> {
  const [step, reason, money, credits, paid = ""] = ending;
  const promised = [step, reason, money, credits, paid];
  const row = page.getByTestId(`pg-fault-${id}`);
  const read = (side: string) =>
    Promise.all(
      ["step", "reason", "money", "credits", "paid"].map((name) =>
        row.getAttribute(`data-${side}-${name}`),
      ),
    );
  expect.soft(await read("actual"), id).toEqual(promised);
  expect.soft(await read("expected"), id).toEqual(promised);
  expect
    .soft(await row.getAttribute("data-actual-outcome"), id)
    .toBe(await row.getAttribute("data-expected-outcome"));
  expect.soft(await row.getAttribute("data-state"), id).toBe("as-expected");
}

test("until a fault was chosen the lab's own button is the one that runs", async ({ page }) => {
  await openLab(page);
  const request = page.getByRole("form", { name: "Request" });
  await expect(request.getByRole("button", { name: /^Run all \d+ faults$/ })).toBeVisible();
  await expect(request.getByRole("button", { name: /^(Run|Step)/ })).toHaveCount(1);
  await page.getByRole("tab", { name: "Body" }).click();
  await expect(page.getByTestId("pg-run")).toBeVisible();
  await expect(page.getByTestId("pg-step")).toBeVisible();
});

test("one fault shows its expected and actual ending above the steps", async ({ page }) => {
  await openLab(page);
  await page.getByRole("button", { name: /^Revoked mid-run/ }).click();
  await expect(page.getByTestId("pg-fault")).toHaveAttribute("data-state", "as-expected", {
    timeout: 20_000,
  });
  await expect(page.getByTestId("pg-step-4")).toHaveAttribute("data-status", "ok");
  await expect(page.getByTestId("pg-step-5")).toHaveAttribute("data-reason", "invalid_token");
  await expect(page.getByTestId("pg-money")).toHaveAttribute("data-money", "refused");
  await takePicture(page, "playground-fault-one");
});

test("Run runs the fault that is shown as chosen, and else the request, as the test customer", async ({
  page,
}) => {
  await openLab(page);
  const verdict = page.getByTestId("pg-fault");
  const ended = { timeout: 20_000 };
  await page.getByRole("button", { name: /^Wrong agent/ }).click();
  await expect(verdict).toHaveAttribute("data-state", "as-expected", ended);
  const request = page.getByRole("form", { name: "Request" });
  await expect(request.getByText(/^Runs “Wrong agent” again\./)).toBeVisible();
  await expect(page.getByTestId("pg-step")).toHaveAttribute("aria-disabled", "true");
  await expect(page.getByTestId("pg-run")).toHaveText(/Run fault again/);
  await page.getByTestId("pg-run").click();
  await expect(verdict).toHaveAttribute("data-state", "running");
  await expect(verdict).toHaveAttribute("data-state", "as-expected", ended);
  await page.getByRole("tab", { name: "Payer" }).click();
  await expect(page.getByRole("combobox", { name: "Pay as" })).toHaveText("Test customer");
  await page.getByTestId("pg-run").click();
  await expect(page.getByTestId("pg-money")).toHaveAttribute("data-money", "settled", ended);
  await expect(verdict).toHaveCount(0);
});

test("a stopped run leaves no fault behind @long", async ({ page }) => {
  await openLab(page);
  await page.getByRole("button", { name: /^Settle fails/ }).click();
  await expect(page.getByTestId("pg-step-6")).toHaveAttribute("data-status", "running", {
    timeout: 20_000,
  });
  expect(await armedFaults(page)).toHaveLength(1);
  await page.getByRole("button", { name: "Stop" }).click();
  await expect.poll(() => armedFaults(page)).toEqual([]);
});

test("the lab has no axe violations and fits every width @long", async ({ page }) => {
  test.setTimeout(90_000);
  await openLab(page);
  await page.getByRole("button", { name: /^Wrong agent/ }).click();
  await expect(page.getByTestId("pg-fault")).toHaveAttribute("data-state", "as-expected", {
    timeout: 20_000,
  });
  await expectGoodLooks(page, [320, 375, 1280], "playground-lab");
});
