import type { RequestListener } from "node:http";
import type { Page } from "@playwright/test";
import { agentHost, askForPayment, serveGated } from "./support/agent-servers.ts";
import { expectGoodLooks } from "./support/look.ts";
import { payOnce } from "./support/parties.ts";
import { clientOf, readSandbox } from "./support/sandbox-file.ts";
import { signInAsDemo } from "./support/sign-in.ts";
import { expect, takePicture, test } from "./support/test.ts";

const MONEY_TIMEOUT_MS = 60_000;
const serve = agentHost(test);

const open = (page: Page, url: string, method = "POST") =>
  page.goto(`/playground?${new URLSearchParams({ method, url })}`);

async function run(page: Page): Promise<void> {
  await page.getByTestId("pg-run").click();
  await expect(page.getByTestId("pg-money")).toBeVisible({ timeout: MONEY_TIMEOUT_MS });
}

test("without an account, a run reads the offer and its cost; after signing in it is there, and continues", async ({
  page,
}) => {
  test.setTimeout(120_000);
  const { lab } = await readSandbox();
  const planId = lab.plans.calls ?? "";
  const agent = await serveGated(
    clientOf(lab.builder),
    { "POST /ask": { planId } },
    (_request, response) => response.end("done"),
  );
  await open(page, agent.ask);
  await expect(page).toHaveURL(/\/playground\?/);
  await run(page);
  await expect(page.getByTestId("pg-step-1")).toHaveAttribute("data-outcome", "challenged");
  await expect(page.getByTestId("pg-step-2")).toHaveAttribute("data-outcome", "offer-valid");
  await expect(page.getByTestId("pg-step-3")).toHaveAttribute("data-outcome", "sign-in-needed");
  const money = page.getByTestId("pg-money");
  await expect(money).toHaveAttribute("data-money", "challenged");
  await expect(money).toContainText(/This call costs 1 credit of “.+”.*Sign in to pay\./);
  await takePicture(page, "playground-visitor");
  expect(agent.seen).toHaveLength(1);

  await money.getByRole("link", { name: "Sign in to pay" }).click();
  await page.waitForURL("**/sign-in?**");
  await page.getByRole("button", { name: "Continue as demo subscriber" }).click();
  await page.waitForURL("**/playground?run=**");
  await expect(page.getByTestId("pg-step-3")).toHaveAttribute("data-outcome", "sign-in-needed");
  await expect(page.getByRole("textbox", { name: "Endpoint" })).toHaveValue(agent.ask);
  await takePicture(page, "playground-run-after-sign-in");
  expect(agent.seen).toHaveLength(1);
  await money.getByRole("button", { name: "Continue and pay" }).click();
  await expect(money).toHaveAttribute("data-money", "settled", { timeout: MONEY_TIMEOUT_MS });
  // The first request was not sent again.
  expect(agent.seen).toHaveLength(2);
  await agent.close();
});

test("the doctor runs its free checks without an account", async ({ page }) => {
  const { ask: url } = await serve((_request, response) => response.end("hello"));
  await open(page, url);
  await run(page);
  await page.getByRole("link", { name: "Run free checks" }).click();
  await page.waitForURL("**/doctor?**");
  await page.getByRole("button", { name: "Run checks" }).click();
  await expect(page.getByTestId("doctor-report")).toBeVisible({ timeout: 60_000 });
  await expect(page.getByText("Paid checks were not run.")).toBeVisible();
});

test("a request without a response has its own badge, never Free", async ({ page }) => {
  const { ask: url, close } = await serve(() => {});
  await close();
  await open(page, url);
  await run(page);
  const money = page.getByTestId("pg-money");
  await expect(money).toHaveAttribute("data-money", "");
  await expect(money.getByText("Unreachable", { exact: true })).toBeVisible();
  await expect(money.getByText("Free", { exact: true })).toHaveCount(0);
});

test("an agent that takes 20 s answers within the default time limit @long", async ({ page }) => {
  test.setTimeout(90_000);
  const { ask: url } = await serve(
    (_request, response) => void setTimeout(() => response.end("late"), 20_000),
  );
  await open(page, url);
  await run(page);
  await expect(page.getByTestId("pg-step-1")).toHaveAttribute("data-outcome", "not-gated");
});

test("a response is shown as it arrives, and Stop ends the run @long", async ({ page }) => {
  const { ask: url } = await serve((_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write("data: the first part\n\n");
  });
  await page.setViewportSize({ width: 1440, height: 900 });
  await open(page, url);
  await page.getByRole("tab", { name: "Options" }).click();
  await page.getByRole("combobox", { name: "Time limit" }).click();
  await page.getByRole("option", { name: "5 minutes" }).click();
  await page.getByTestId("pg-run").click();
  const inspector = page.getByRole("region", { name: "Inspector" });
  await expect(inspector.getByText("data: the first part")).toBeVisible({ timeout: 15_000 });
  await expect(page.getByTestId("pg-step-1")).toContainText(/of 300 s\./, { timeout: 15_000 });
  await page.getByRole("button", { name: "Stop" }).click();
  await expect(page.getByTestId("pg-step-1")).not.toHaveAttribute("data-status", "running");
});

test.describe("run from this browser", () => {
  // The browser logs what CORS hides.
  test.use({ mustNotComplain: false });

  type Cors = { allows?: boolean; exposes?: boolean };
  const withCors =
    (handle: RequestListener, { allows = true, exposes = true }: Cors): RequestListener =>
    (request, response) => {
      if (allows) {
        response.setHeader("access-control-allow-origin", request.headers.origin ?? "null");
        response.setHeader("access-control-allow-headers", "content-type, payment-signature");
      }
      if (exposes) {
        response.setHeader("access-control-expose-headers", "payment-required, payment-response");
      }
      if (request.method === "OPTIONS") response.writeHead(204).end();
      else handle(request, response);
    };

  async function runFromBrowser(page: Page, handle: RequestListener, cors: Cors) {
    const agent = await serve(withCors(handle, cors));
    const violations: string[] = [];
    page.on("console", (message) => {
      if (/Content.Security.Policy|policy violation/i.test(message.text())) {
        violations.push(message.text());
      }
    });
    await open(page, agent.ask);
    await page.getByRole("tab", { name: "Options" }).click();
    await page.getByRole("radio", { name: "Browser" }).click();
    await run(page);
    expect(violations).toEqual([]);
    // The frame that sent the request is gone.
    await expect(page.locator("iframe")).toHaveCount(0);
    return agent;
  }
  const asks =
    (planId: string): RequestListener =>
    (request, response) =>
      askForPayment(request, response, { planId });

  test("an agent with CORS headers is asked by the browser itself, and its offer is read", async ({
    page,
  }) => {
    const { lab } = await readSandbox();
    const agent = await runFromBrowser(page, asks(lab.plans.calls ?? ""), {});
    await expect(page.getByTestId("pg-step-2")).toHaveAttribute("data-status", /ok|warn/);
    await expect(page.getByTestId("pg-step-3")).toHaveAttribute("data-outcome", "sign-in-needed");
    expect(agent.seen).toEqual(["OPTIONS /ask", "POST /ask"]);
  });

  test("an agent that does not expose its offer is told the exact line @long", async ({ page }) => {
    await runFromBrowser(page, asks("7"), { exposes: false });
    await expect(page.getByTestId("pg-step-2")).toHaveAttribute("data-outcome", "offer-hidden");
    await expect(
      page.getByText(
        "access-control-expose-headers: payment-required, payment-response, payment-request-id",
      ),
    ).toBeVisible();
  });

  test("an agent without CORS is told from one that is down, with the exact lines @long", async ({
    page,
    baseURL,
  }) => {
    await runFromBrowser(page, asks("7"), { allows: false });
    await expect(page.getByTestId("pg-step-1")).toHaveAttribute("data-outcome", "ask-hidden");
    const { origin } = new URL(baseURL ?? "");
    await expect(page.getByText(`access-control-allow-origin: ${origin}`)).toBeVisible();
    await page.getByTestId("pg-money").getByRole("button", { name: "Run from server" }).click();
    await expect(page.getByTestId("pg-step-2")).not.toHaveAttribute("data-outcome", "");

    const { ask: url, close } = await serve(() => {});
    await close();
    await open(page, url);
    await page.getByRole("tab", { name: "Options" }).click();
    await page.getByRole("radio", { name: "Browser" }).click();
    await run(page);
    await expect(page.getByTestId("pg-step-1")).toHaveAttribute(
      "data-outcome",
      "browser-unreachable",
    );
  });
});

for (const path of ["/playground", "/doctor"]) {
  test(`${path} has no axe violations and fits every width without an account @long`, async ({
    page,
  }) => {
    test.slow();
    await page.goto(path);
    if (path === "/playground") await run(page);
    await expectGoodLooks(page, [320, 375, 1280], `visitor${path.replace("/", "-")}`);
  });
}

test("the frame that sends from the browser runs no script and reaches one origin", async ({
  request,
}) => {
  const policyOf = async (origin: string) => {
    const answer = await request.get(`/playground/frame?${new URLSearchParams({ origin })}`);
    expect(answer.headers()["x-frame-options"]).toBe("SAMEORIGIN");
    return answer.headers()["content-security-policy"];
  };
  expect(await policyOf("https://agent.example")).toBe(
    "default-src 'none'; connect-src https://agent.example; form-action 'none'; base-uri 'none'; frame-ancestors 'self'",
  );
  expect(await policyOf("https://*")).toContain("connect-src 'none'");
  const page = await request.get("/playground");
  expect(page.headers()["content-security-policy"]).toContain("connect-src 'self';");
  expect(page.headers()["x-frame-options"]).toBe("DENY");
});

test("someone signed in sees their menu on every public page, never Sign in @long", async ({
  page,
}) => {
  test.setTimeout(90_000);
  const { plans } = await readSandbox();
  const client = clientOf((await readSandbox()).builder);
  const { settlementId = "" } = await client.requests.getRequest(await payOnce());
  const paths = [
    "/",
    "/docs/api",
    "/explore",
    "/playground",
    "/doctor",
    `/p/${plans.crypto}`,
    `/checkout/${plans.crypto}`,
    `/receipts/${settlementId}`,
    "/s/unknown",
    "/no-such-page",
  ];
  const seen = async () => {
    const menu = await page.getByRole("button", { name: /^Account / }).count();
    const signIn = await page.getByRole("link", { name: "Sign in", exact: true }).count();
    return { menu, signIn };
  };
  for (const path of paths) {
    await page.goto(path);
    await expect(page.getByRole("heading", { level: 1 }).first()).toBeVisible();
    if (path.startsWith("/checkout")) continue;
    expect(await seen(), path).toEqual({ menu: 0, signIn: 1 });
  }
  await signInAsDemo(page, "subscriber");
  for (const path of paths) {
    await page.goto(path);
    await expect(page.getByRole("heading", { level: 1 }).first()).toBeVisible();
    expect(await seen(), path).toEqual({ menu: 1, signIn: 0 });
  }
});
