import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";
import { ageSignIn } from "./support/age-sign-in.ts";
import { signInAfresh, signInAsDemo } from "./support/sign-in.ts";
import { expect, test } from "./support/test.ts";

test("an endpoint is added, tested, replayed, rotated and disabled, in at most four clicks each", async ({
  page,
}) => {
  const got: { id: unknown; body: string; headers: Record<string, string> }[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const headers = request.headers as Record<string, string>;
    got.push({ id: headers["webhook-id"], body, headers });
    response.writeHead(200).end("thanks");
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
  try {
    await signInAfresh(page);
    await page.goto("/settings/webhooks");
    // Add: two clicks.
    await page.getByRole("button", { name: "Add endpoint" }).click();
    const dialog = page.getByRole("dialog", { name: "Add endpoint" });
    await expect(dialog.getByLabel("URL")).toBeFocused();
    await page.keyboard.type("not a URL");
    await page.keyboard.press("Enter");
    await expect(dialog.getByLabel("URL")).toHaveAccessibleDescription(/URL/);
    await dialog.getByLabel("URL").fill(url);
    await dialog.getByLabel("Events").fill("order.*, order.complete");
    await page.keyboard.press("Enter");
    await expect(dialog.getByText("“order.complete” is not a type of event.")).toBeVisible();
    await dialog.getByLabel("Events").fill("*");
    await dialog.getByRole("button", { name: "Add endpoint" }).click();
    const secret = (await page.locator("[data-secret]").textContent()) ?? "";
    await page.getByRole("button", { name: "I have copied it" }).click();
    await expect(page.getByRole("heading", { name: url })).toBeVisible();

    // Change what is sent, and find it as it was saved.
    await page.getByRole("button", { name: "Edit endpoint" }).click();
    const editing = page.getByRole("dialog", { name: "Edit endpoint" });
    await expect(editing.getByLabel("URL")).toHaveValue(url);
    await editing.getByLabel("Events").fill("order.* webhook_endpoint.*");
    await editing.getByRole("button", { name: "Save endpoint" }).click();
    await expect(page.getByText("order.* webhook_endpoint.*").first()).toBeVisible();

    // Send a test event and see its delivery: two clicks.
    await page.getByRole("button", { name: "Send test event" }).click();
    const row = page.getByRole("row", { name: /webhook_endpoint\.test/ });
    await expect(row.getByText("Delivered")).toBeVisible();
    const opener = row.first().getByRole("button");
    await opener.click();
    await expect(page.getByRole("heading", { name: "Your server answered 200." })).toBeVisible();
    await expect(opener).toHaveAttribute("aria-expanded", "true");
    await opener.click();
    await expect(page.getByText("thanks")).toHaveCount(0);
    await opener.click();
    await expect(page.getByText("thanks")).toBeVisible();
    const delivered = () => got.filter(({ body }) => body.includes("webhook_endpoint.test"));
    for (const { body, headers } of delivered()) new Webhook(secret).verify(body, headers);

    // Replay: one click, under the same id.
    await page.getByRole("button", { name: "Replay now" }).click();
    await expect.poll(() => delivered().length).toBe(2);
    expect(delivered()[0]?.id).toBe(delivered()[1]?.id);

    // Rotate: two clicks.
    await page.getByRole("button", { name: "Rotate secret" }).click();
    await page.getByRole("button", { name: "I have copied it" }).click();
    await expect(page.getByText("Also signs")).toBeVisible();
    // A second rotation stops none of the secrets that a receiver may have.
    await page.getByRole("button", { name: "Rotate secret" }).click();
    await page.getByRole("button", { name: "I have copied it" }).click();
    await expect(page.getByText("Also signs")).toHaveCount(2);
    // After a leak the new secret is the only one.
    await page.getByRole("button", { name: "Rotate and stop earlier secrets" }).click();
    await page
      .getByRole("dialog", { name: "Stop all earlier secrets?" })
      .getByRole("button", { name: "Rotate and stop earlier secrets" })
      .click();
    await page.getByRole("button", { name: "I have copied it" }).click();
    await expect(page.getByText("Also signs")).toHaveCount(0);

    // Disable: one click.
    await page.getByRole("button", { name: "Disable" }).click();
    await expect(page.getByText("This endpoint is disabled: no events are sent.")).toBeVisible();
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test("an endpoint is added and changed only after an old sign-in is confirmed, and nothing typed is lost", async ({
  page,
}) => {
  const path = "/settings/webhooks";
  const url = `http://127.0.0.1:9/${crypto.randomUUID()}`;
  await signInAsDemo(page, "builder");
  await page.goto(path);
  const confirm = page.getByRole("dialog", { name: "Confirm it’s you" });
  const confirmed = () => confirm.getByRole("button", { name: "Continue as demo builder" }).click();

  await page.getByRole("button", { name: "Add endpoint" }).click();
  const adding = page.getByRole("dialog", { name: "Add endpoint" });
  await adding.getByLabel("URL").fill(url);
  await ageSignIn(page, path, url);
  await adding.getByRole("button", { name: "Add endpoint" }).click();
  await confirm.getByRole("button", { name: "Cancel" }).click();
  await expect(adding.getByText("The endpoint was not added.")).toBeVisible();
  await expect(adding.getByLabel("URL")).toHaveValue(url);
  await ageSignIn(page, path, url);
  await adding.getByRole("button", { name: "Add endpoint" }).click();
  await confirmed();
  await page.getByRole("button", { name: "I have copied it" }).click();
  await expect(page.getByRole("heading", { name: url })).toBeVisible();

  await page.getByRole("button", { name: "Edit endpoint" }).click();
  const editing = page.getByRole("dialog", { name: "Edit endpoint" });
  await editing.getByLabel("URL").fill(`${url}/changed`);
  await ageSignIn(page, path, `${url}/changed`);
  await editing.getByRole("button", { name: "Save endpoint" }).click();
  await confirmed();
  await expect(page.getByRole("heading", { name: `${url}/changed` })).toBeVisible();

  await page.getByRole("button", { name: "Remove endpoint" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove endpoint" }).click();
  await expect(page.getByRole("heading", { name: url })).toHaveCount(0);
});

test.describe("when the answer is lost", () => {
  test.use({ mustNotComplain: false });

  test("a replay is not said to have done nothing @long", async ({ page }) => {
    await signInAfresh(page);
    await page.goto("/settings/webhooks");
    await page.getByRole("button", { name: "Add endpoint" }).click();
    const dialog = page.getByRole("dialog", { name: "Add endpoint" });
    await dialog.getByLabel("URL").fill("http://127.0.0.1:9/hooks");
    await dialog.getByLabel("Events").fill("*");
    await dialog.getByRole("button", { name: "Add endpoint" }).click();
    await page.getByRole("button", { name: "I have copied it" }).click();
    await page.route("**/settings/webhooks**", (route) =>
      route.request().method() === "POST" ? route.abort() : route.continue(),
    );
    await page.getByRole("button", { name: "Replay events" }).click();
    await expect(
      page.getByRole("alert").filter({ hasText: "We don’t know yet whether this went through." }),
    ).toBeVisible();
    await expect(page.getByText("Nothing was replayed.")).toHaveCount(0);
  });
});
