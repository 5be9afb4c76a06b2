import { Stripe } from "stripe";
import { cardPlan, type Own, test } from "./support/own-processor.ts";
import { signInAfresh } from "./support/sign-in.ts";
import { serveStripeJs } from "./support/stripe-js.ts";
import { picture } from "./support/subscriber.ts";
import { expect, expectNoAxeFindings, expectNoSidewaysScroll } from "./support/test.ts";

const NUMBER = "5555 5555 5555 4444";
const DECLINED = "4000 0000 0000 0002";

test.describe.configure({ timeout: 60_000 });

test("a card entered in the processor's frame is saved, pays for an order, and stays private", async ({
  page,
  context,
  own: { processor, sandbox },
}) => {
  await serveStripeJs(context, processor.apiBase);
  const heard: string[] = [];
  page.on("request", (request) => {
    if (request.url().startsWith(sandbox.url)) heard.push(`${request.url()} ${request.postData()}`);
  });
  await signInAfresh(page);
  await page.goto(`/checkout/${await cardPlan(sandbox.url)}`);
  await page.getByRole("radio", { name: "New card" }).check();
  await page.getByRole("button", { name: "Enter card" }).click();
  const field = page.frameLocator("iframe[title='Secure card field']").getByLabel("Card number");
  await field.fill(NUMBER);
  await expectNoSidewaysScroll(page);
  await picture(page, "card-form");
  await page.getByRole("button", { name: "Save card" }).click();
  await expect(page.getByRole("radio", { name: /Mastercard.*4444/ })).toBeChecked();
  await page.getByRole("button", { name: /^Pay / }).click();
  await expect(page.getByRole("heading", { name: "100 credits added" })).toBeVisible({
    timeout: 30_000,
  });
  expect(heard.join("\n")).not.toContain(NUMBER.replaceAll(" ", ""));
  expect(await page.content()).not.toContain(NUMBER.replaceAll(" ", ""));

  // The processor refunds the payment, and the order shows it.
  const payment = processor.controls.payments().at(-1)?.id ?? "";
  const stripe = new Stripe(processor.secretKey, stripeAt(processor.apiBase));
  await stripe.refunds.create({ payment_intent: payment });
  await handOver(
    stripe,
    { processor, sandbox },
    processor.controls.events(payment).at(-1)?.id ?? "",
  );
  await page.reload();
  await expect(page.getByText("This order was refunded.")).toBeVisible();
  await expect(page.getByRole("button", { name: /^Pay / })).toHaveCount(0);
  await expectNoAxeFindings(page);
  await picture(page, "order-refunded");
});

test.describe("failures", () => {
  // The browser logs failed loads and 402 responses.
  test.use({ mustNotComplain: false });

  test("a declined card is not saved, and another can be entered @long", async ({
    page,
    context,
    own: { processor, sandbox },
  }) => {
    await serveStripeJs(context, processor.apiBase);
    await signInAfresh(page);
    await page.goto(`/checkout/${await cardPlan(sandbox.url)}`);
    await page.getByRole("radio", { name: "New card" }).check();
    await page.getByRole("button", { name: "Enter card" }).click();
    const field = page.frameLocator("iframe[title='Secure card field']").getByLabel("Card number");
    await field.fill(DECLINED);
    await page.getByRole("button", { name: "Save card" }).click();
    await expect(page.getByText("Your bank declined this card.")).toBeVisible();
    await expectNoAxeFindings(page);
    await field.fill(NUMBER);
    await page.getByRole("button", { name: "Save card" }).click();
    await expect(page.getByRole("radio", { name: /Mastercard.*4444/ })).toBeChecked();
  });

  test("without the processor's script, the page says so and still works @long", async ({
    page,
    context,
    own,
  }) => {
    await context.route("https://js.stripe.com/**", (route) => route.abort());
    await signInAfresh(page);
    await page.goto(`/checkout/${await cardPlan(own.sandbox.url)}`);
    await page.getByRole("radio", { name: "New card" }).check();
    await page.getByRole("button", { name: "Enter card" }).click();
    await expect(page.getByText("The card form could not be loaded.")).toBeVisible();
    await expect(page.getByText("No card was charged.")).toBeVisible();
    await expectNoAxeFindings(page);
    const size = page.viewportSize();
    await page.setViewportSize({ width: 360, height: 740 });
    await expect(page.getByRole("link", { name: /^Order plan “/ })).toBeVisible();
    await expectNoSidewaysScroll(page);
    if (size) await page.setViewportSize(size);
    await page.getByRole("link", { name: /^Order plan “/ }).click();
    await page.getByRole("button", { name: /^Pay / }).click();
    await expect(page.getByRole("heading", { name: "100 credits added" })).toBeVisible();
  });
});

function stripeAt(apiBase: string): Stripe.StripeConfig {
  const { hostname, port } = new URL(apiBase);
  return { host: hostname, port, protocol: "http" };
}

/** Delivers an event as the processor would. */
async function handOver(
  stripe: Stripe,
  { processor, sandbox }: Own,
  eventId: string,
): Promise<void> {
  const payload = JSON.stringify(await stripe.events.retrieve(eventId));
  const secret = processor.webhookSecret;
  const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret });
  const answer = await fetch(`${sandbox.url}/api/webhooks/cards`, {
    method: "POST",
    headers: { "stripe-signature": signature },
    body: payload,
  });
  expect(answer.status).toBe(200);
}
