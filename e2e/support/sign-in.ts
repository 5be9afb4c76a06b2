import type { Page } from "@playwright/test";

/** Signs the page in as one of the sandbox's inhabitants; it then stands on `/home`. */
export async function signInAsDemo(page: Page, role: "builder" | "subscriber"): Promise<void> {
  await page.goto("/sign-in");
  await page.getByRole("button", { name: `Continue as demo ${role}` }).click();
  await page.waitForURL("**/home");
}

/** Signs the page in with an account of the test's own, so that nothing it does is seen by another. */
export async function signInAfresh(page: Page): Promise<void> {
  await addAuthenticator(page);
  await page.goto("/sign-in");
  await page.getByRole("button", { name: "New here? Sign up with a passkey" }).click();
  await page.waitForURL("**/home");
}

/** Has the page carry a virtual authenticator, so that passkeys can be made and used. */
export async function addAuthenticator(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("WebAuthn.enable");
  await session.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}
