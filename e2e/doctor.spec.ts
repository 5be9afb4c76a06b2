import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { APIRequestContext, Page } from "@playwright/test";
import { junitOf } from "../lib/probe/report/junit.ts";
import type { DoctorReport } from "../lib/probe/report/report.ts";
import type { SandboxFile } from "../lib/sandbox/sandbox-file.ts";
import { agentHost } from "./support/agent-servers.ts";
import { expectGoodLooks } from "./support/look.ts";
import { serviceDataDir } from "./support/service-url.ts";
import { signInAsDemo } from "./support/sign-in.ts";
import {
  expect,
  expectNoAxeFindings,
  expectNoSidewaysScroll,
  takePicture,
  test,
} from "./support/test.ts";

const REPORT_MS = 60_000;
const serve = agentHost(test);

async function run(page: Page, url: string): Promise<void> {
  await page.goto(`/doctor?${new URLSearchParams({ method: "POST", url })}`);
  await page.getByRole("button", { name: "Run checks" }).click();
}

async function readSandbox(): Promise<SandboxFile> {
  const file = join(serviceDataDir() ?? ".turnpike", "sandbox.json");
  return JSON.parse(await readFile(file, "utf8"));
}

/** Orders the crypto plan as the demo subscriber. */
async function orderOnChain(request: APIRequestContext, sandbox: SandboxFile): Promise<void> {
  const { plans, subscriber } = sandbox;
  const order = await request.post(`/api/v1/protocol/plans/${plans.crypto}/order`, {
    headers: { authorization: `Bearer ${subscriber.apiKey}` },
    data: {},
  });
  expect(await order.json()).toMatchObject({ success: true });
}

const WIDTHS = [320, 375, 768, 1280, 1920];

const report = (page: Page) => page.getByTestId("doctor-report");
const check = (page: Page, id: string) => page.locator(`[data-check="${id}"]`);

test("the demo agent has no errors, paid checks included, within the agreed cap @long", async ({
  page,
}) => {
  test.setTimeout(150_000);
  const { agent } = await readSandbox();
  await signInAsDemo(page, "subscriber");
  await run(page, agent.url);
  await expect(page.getByTestId("doctor-progress")).toContainText(/Step \d of 4/);
  await expect(report(page)).toBeVisible({ timeout: REPORT_MS });
  await expect(report(page).getByRole("heading", { level: 2 })).toHaveText(
    /^0 errors, [01] warnings?, checked \d{4}-\d\d-\d\d$/,
  );
  // How fast it asks is the machine's.
  const failed = await page
    .locator('[data-check][data-state="fail"]')
    .evaluateAll((checks) => checks.map((one) => one.getAttribute("data-check")));
  expect(failed.filter((id) => id !== "D21")).toEqual([]);
  await expect(check(page, "D22")).toHaveAttribute("data-state", "pass");
  await expect(check(page, "D31")).toHaveAttribute("data-state", "pass");
  await expect(check(page, "D40")).toHaveAttribute("data-state", "skip");

  await page.getByRole("button", { name: "Run paid checks" }).click({ timeout: 5_000 });
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText(
    /This uses up to 25 credits of “.+”\. Your test customer pays with test money\./,
  );
  await expect(dialog.getByRole("button", { name: "Cancel" })).toBeFocused();
  await expectNoAxeFindings(page);
  await takePicture(page, "doctor-paid-question");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expect(check(page, "D40")).toHaveAttribute("data-state", "skip");

  await page.getByRole("button", { name: "Run paid checks" }).click();
  await dialog.getByRole("button", { name: "Run paid checks" }).click();
  await expect(page.getByTestId("doctor-progress")).toContainText(/Step \d of 9/);
  await expect(check(page, "D40")).toHaveAttribute("data-state", "pass", { timeout: REPORT_MS });
  for (const id of ["D41", "D42", "D43", "D44", "D45", "D47", "D48", "D49"]) {
    await expect(check(page, id), id).toHaveAttribute("data-state", "pass");
  }
  // The agent accepts any text, so it cannot be made to fail.
  await expect(check(page, "D46")).toHaveAttribute("data-state", "skip");
  await expect(report(page)).toHaveAttribute("data-worst", /^(none|warning)$/);
  await expect(page.getByText(/^Paid checks used 25 credits of/)).toBeVisible();
  await takePicture(page, "doctor-paid");
});

for (const colorScheme of ["light", "dark"] as const) {
  test(`has no axe violations and fits every width, with its dialog open too, ${colorScheme} @long`, async ({
    page,
    request,
  }) => {
    test.setTimeout(150_000);
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    const sandbox = await readSandbox();
    await orderOnChain(request, sandbox);
    await signInAsDemo(page, "subscriber");
    await page.goto("/doctor");
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      await expectNoSidewaysScroll(page);
      await expectNoAxeFindings(page);
    }
    await run(page, sandbox.agent.url);
    await expect(report(page)).toBeVisible({ timeout: REPORT_MS });
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      await expectNoSidewaysScroll(page);
      await expectNoAxeFindings(page);
      await page.getByRole("button", { name: "Run paid checks" }).click();
      await expect(page.getByRole("dialog")).toBeVisible();
      await expectNoSidewaysScroll(page);
      await expectNoAxeFindings(page);
      await page.keyboard.press("Escape");
      await expect(page.getByRole("dialog")).toHaveCount(0);
    }
  });
}

test("a failed check shows its request, the response and the fix", async ({ page }) => {
  await signInAsDemo(page, "subscriber");
  const { ask: url } = await serve((_request, response) => response.writeHead(200).end("free"));
  await run(page, url);
  await expect(report(page)).toBeVisible({ timeout: REPORT_MS });
  await expect(report(page)).toHaveAttribute("data-worst", "error");
  const finding = check(page, "D02");
  await expect(finding).toHaveAttribute("data-state", "fail");
  await expect(finding).toContainText("POST works without payment (200).");
  await expect(finding).toContainText(`POST ${url}, without a token`);
  await expect(finding).toContainText(/200 in \d+ ms/);
  await expect(finding).toContainText("Put the gate in front of this route");
  await check(page, "D01").locator("summary").click();
  await expect(check(page, "D01")).toContainText(/Responded in \d+ ms\./);
  await expect(
    page.getByText("The endpoint offers no plan of this service.").first(),
  ).toBeVisible();

  await expectGoodLooks(page, [320, 375, 1280], "doctor");
});

test("a second check of an endpoint shows what changed @long", async ({ page }) => {
  await signInAsDemo(page, "subscriber");
  let isFixed = false;
  const { ask: url } = await serve((_request, response) =>
    response.writeHead(isFixed ? 402 : 200, { "cache-control": "no-store" }).end("{}"),
  );
  await run(page, url);
  await expect(report(page)).toBeVisible({ timeout: REPORT_MS });
  const change = page.getByTestId("doctor-change");
  await expect(change).toHaveCount(0);
  await expect(check(page, "D02")).toHaveAttribute("data-state", "fail");

  isFixed = true;
  await page.reload();
  await page.getByRole("button", { name: "Run checks" }).click();
  await expect(change).toContainText(
    /^Since the report of \d+ \w{3} \d{4} \d\d:\d\d UTC:.* pass(?:es)? now\./,
    { timeout: REPORT_MS },
  );
  await expect(change).toContainText("D02");
  await page.getByRole("button", { name: "Run checks" }).click();
  await expect(change).toContainText("No changes.", { timeout: REPORT_MS });
  // A different endpoint has no earlier report.
  await run(page, `${url}/other`);
  await expect(report(page)).toContainText("/ask/other", { timeout: REPORT_MS });
  await expect(change).toHaveCount(0);
});

test("the demo agent is a preset with a valid body", async ({ page }) => {
  const { agent } = await readSandbox();
  await signInAsDemo(page, "subscriber");
  await page.goto("/doctor");
  await page.getByRole("combobox", { name: "Preset" }).click();
  await page.getByRole("option", { name: /^Demo agent, POST \/ask/ }).click();
  await expect(page.getByRole("textbox", { name: "Endpoint" })).toHaveValue(agent.url);
  await expect(page.getByRole("textbox", { name: /^Body/ })).toHaveValue(/"text"/);
});

test("the report downloads as JSON and as valid JUnit XML @long", async ({ page }) => {
  await signInAsDemo(page, "subscriber");
  const { ask: url } = await serve((_request, response) =>
    response.writeHead(302, { location: "/<&\"']]>" }).end(),
  );
  await run(page, url);
  await expect(report(page)).toBeVisible({ timeout: REPORT_MS });
  const saved = async (name: string) => {
    const downloading = page.waitForEvent("download");
    await page.getByRole("button", { name }).click();
    const download = await downloading;
    return {
      name: download.suggestedFilename(),
      text: await readFile((await download.path()) as string, "utf8"),
    };
  };
  const json = await saved("Download JSON");
  expect(json.name).toMatch(/^doctor-127\.0\.0\.1-\d{4}-\d\d-\d\d\.json$/);
  const kept = JSON.parse(json.text) as DoctorReport;
  expect(kept.findings).toHaveLength(37);
  const junit = await saved("Download JUnit XML");
  expect(junit.text).toBe(junitOf(kept));
  const read = await parseXml(page, junit.text);
  expect(read).toMatchObject({ fault: null, cases: 37, failures: 1 });
  expect(read.message).toContain("It redirects to /<&\"']]> (302)");
});

test("JUnit escapes any untrusted text", async ({ page }) => {
  await signInAsDemo(page, "subscriber");
  const strange = "<a href=\"x\">&amp;</a> ]]> \u0000\u0008\u001b \ufffe \ud800 'é' 💸\r\n\tend";
  const finding = { id: "D02", severity: "error", title: strange, state: "fail" } as const;
  const report: DoctorReport = {
    verb: "POST",
    url: `https://x.example/${strange}`,
    checkedAt: "2026-11-21T10:00:00.000Z",
    findings: [{ ...finding, sentence: strange, fix: strange, asked: strange, came: strange }],
    paid: null,
    quote: { isPossible: false, why: strange },
  };
  const read = await parseXml(page, junitOf(report));
  expect(read).toMatchObject({ fault: null, cases: 1, failures: 1 });
  expect(read.message).toBe(
    "<a href=\"x\">&amp;</a> ]]> \ufffd\ufffd\ufffd \ufffd \ufffd 'é' 💸\r\n\tend",
  );
});

/** Reads JUnit with the browser's XML parser. */
const parseXml = (page: Page, text: string) =>
  page.evaluate((xml) => {
    const document = new DOMParser().parseFromString(xml, "application/xml");
    return {
      fault: document.querySelector("parsererror")?.textContent ?? null,
      cases: document.querySelectorAll("testsuites > testsuite > testcase").length,
      failures: Number(document.documentElement.getAttribute("failures")),
      message: document.querySelector("failure")?.getAttribute("message") ?? "",
    };
  }, text);
