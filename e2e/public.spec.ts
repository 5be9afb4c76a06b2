import { once } from "node:events";
import { readdirSync } from "node:fs";
import { get, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { readSandbox } from "./support/sandbox-file.ts";
import { expect, test } from "./support/test.ts";

const FOLDER = join(import.meta.dirname, "../public");
const TYPES: Record<string, string> = {
  ico: "image/x-icon",
  png: "image/png",
  svg: "image/svg+xml",
  txt: "text/plain",
  webmanifest: "application/manifest+json",
};
const files = readdirSync(FOLDER, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map(({ parentPath, name }) => join(parentPath, name).slice(FOLDER.length));

test("every file in public/ is served with its own content type", async ({ request }) => {
  expect(files).toEqual(expect.arrayContaining(["/favicon.ico", "/llms.txt", "/robots.txt"]));
  for (const file of files) {
    const response = await request.get(file);
    expect(response.status(), file).toBe(200);
    const [, extension = ""] = /\.(\w+)$/.exec(file) ?? [];
    expect(response.headers()["content-type"], file).toContain(TYPES[extension]);
  }
});

test("a request that names the origin in its first line, as proxies do, is answered", async ({
  baseURL,
}) => {
  const origin = new URL(baseURL ?? "").origin;
  for (const path of ["/api/v1/openapi.json", "/sign-in"]) {
    const asking = get(origin, { path: origin + path });
    const [response] = (await once(asking, "response")) as [IncomingMessage];
    response.resume();
    expect(response.statusCode, path).toBe(200);
  }
});

test("the manifest's icons exist", async ({ request }) => {
  const { icons } = await (await request.get("/manifest.webmanifest")).json();
  expect(icons.length).toBeGreaterThan(2);
  for (const { src } of icons) expect((await request.get(src)).status(), src).toBe(200);
});

for (const path of [
  "/",
  "/explore",
  "/docs",
  "/docs/selling",
  "/docs/api",
  "/docs/api/getPlan",
  "/docs/errors/not_found",
  "/doctor",
  "/playground",
  "/sign-in",
  "plan",
  "agent",
]) {
  test(`the public page ${path} has a title, a description and a preview image`, async ({
    page,
    request,
  }) => {
    const { plans, agent } = await readSandbox();
    const pages: Record<string, string> = {
      plan: `/p/${plans.crypto}`,
      agent: `/a/${agent.agentId}`,
    };
    await page.goto(pages[path] ?? path);
    await expect(page).toHaveTitle(/\S+ · Turnpike$/);
    const meta = (selector: string) => page.locator(`meta[${selector}]`).getAttribute("content");
    const description = await meta('name="description"');
    expect(description?.length).toBeGreaterThan(20);
    expect(await meta('property="og:description"')).toBe(description);
    expect(await meta('property="og:title"')).toBe(await page.title());
    const image = await meta('property="og:image"');
    expect(image).toMatch(/^https?:\/\/.*\/og\.png/);
    const response = await request.get(new URL(image ?? "").pathname);
    expect(response.headers()["content-type"]).toBe("image/png");
  });
}
