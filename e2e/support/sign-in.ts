import { createHash, generateKeyPairSync, randomBytes } from "node:crypto";
import { expect, type Page } from "@playwright/test";
import { untilHydrated } from "./hydrated.ts";
import { callAction, originOf } from "./server-actions.ts";

/** Signs the page's context in with a demo account, by the form that needs no script. No page is opened. */
export async function signInAsDemo(page: Page, role: "builder" | "subscriber"): Promise<void> {
  const opened = await page.request.get("/sign-in");
  const hidden = (await opened.text()).match(/<input type="hidden"[^>]*>/g) ?? [];
  const read = (tag: string, attribute: string) =>
    (new RegExp(` ${attribute}="([^"]*)"`).exec(tag)?.[1] ?? "")
      .replaceAll("&quot;", '"')
      .replaceAll("&amp;", "&");
  const multipart = Object.fromEntries(
    hidden.map((tag) => [read(tag, "name"), read(tag, "value")]),
  );
  const answer = await page.request.post("/sign-in", {
    headers: { origin: new URL(opened.url()).origin },
    multipart: { ...multipart, role, next: "/home" },
    maxRedirects: 0,
  });
  expect(answer.status()).toBe(303);
}

/** Signs the page's context in with a new account, so that tests do not see each other's data. No page is opened. */
export async function signInAfresh({ request }: Page): Promise<void> {
  type Options = { challenge: string; rp: { id: string } };
  const options = await callAction<Options>(request, "askNewPasskey");
  const passkey = newPasskey(options, await originOf(request));
  await callAction(request, "registerPasskey", passkey);
}

/** Signs in with a demo account as a person does, and opens `/home`, which hears the keyboard then. */
export async function clickDemo(page: Page, role: "builder" | "subscriber"): Promise<void> {
  await page.goto("/sign-in");
  await page.getByRole("button", { name: `Continue as demo ${role}` }).click();
  await page.waitForURL("**/home");
  await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
  await untilHydrated(page);
}

/** Takes the session away from outside. The page is left first: it would read on and be refused. */
export async function dropSession(page: Page): Promise<void> {
  await page.goto("about:blank");
  await page.context().clearCookies();
}

/** Signs up with a passkey in the browser, as a person does, and opens `/home`. */
export async function signUp(page: Page): Promise<void> {
  await addAuthenticator(page);
  await page.goto("/sign-in");
  await page.getByRole("button", { name: "New here? Sign up with a passkey" }).click();
  await page.waitForURL("**/home");
}

const fromHex = (text: string) => Buffer.from(text, "hex");

/** What a browser answers with a new passkey: a P-256 key without attestation (WebAuthn 6.5). */
function newPasskey({ challenge, rp }: { challenge: string; rp: { id: string } }, origin: string) {
  const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { x = "", y = "" } = publicKey.export({ format: "jwk" });
  const id = randomBytes(32);
  const data = Buffer.concat([
    createHash("sha256").update(rp.id).digest(),
    // User present and verified, with a credential; a counter of 0 and no model.
    fromHex(`45${"00".repeat(4)}${"00".repeat(16)}0020`),
    id,
    fromHex("a5010203262001215820"),
    Buffer.from(x, "base64url"),
    fromHex("225820"),
    Buffer.from(y, "base64url"),
  ]);
  // In CBOR: { fmt: "none", attStmt: {}, authData: data }
  const attested = `a363666d74646e6f6e656761747453746d74a068617574684461746158${data.length.toString(16)}`;
  const client = { type: "webauthn.create", challenge, origin, crossOrigin: false };
  return {
    id: id.toString("base64url"),
    rawId: id.toString("base64url"),
    type: "public-key",
    clientExtensionResults: {},
    response: {
      clientDataJSON: Buffer.from(JSON.stringify(client)).toString("base64url"),
      attestationObject: Buffer.concat([fromHex(attested), data]).toString("base64url"),
      transports: ["internal"],
    },
  };
}

/** Adds a virtual authenticator to the page for passkeys. */
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
