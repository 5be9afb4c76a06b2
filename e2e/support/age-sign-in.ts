import { expect, type Page } from "@playwright/test";

/**
 * Answers the next change that sends `typed` as the service does once the sign-in is more than five minutes old. `typed` is a
 * member that may not be empty.
 */
export async function ageSignIn(page: Page, path: string, typed: string): Promise<void> {
  let isAged = false;
  await page.route(`**${path}**`, async (route) => {
    const body = route.request().postData();
    if (isAged || route.request().method() !== "POST" || !body?.includes(typed)) {
      return route.fallback();
    }
    isAged = true;
    // Without it, it changes nothing, and its answer has the form of every error.
    const answer = await route.fetch({ postData: body.replace(typed, "") });
    const text = await answer.text();
    const aged = text
      .replace('"code":"invalid_input"', '"code":"step_up_required"')
      .replace(/"details":\[.*?\]/, '"details":[]');
    expect(aged).toContain("step_up_required");
    await route.fulfill({ response: answer, body: aged });
  });
}
