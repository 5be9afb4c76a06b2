import { mkdir } from "node:fs/promises";
import { bootSandbox } from "./boot-sandbox.ts";
import { serviceUrl, setService } from "./service-url.ts";

/** Boots the built service for the browser tests, unless `TURNPIKE_URL` is set. */
export default async function globalSetup(): Promise<(() => Promise<void>) | undefined> {
  await mkdir("test-results", { recursive: true });
  if (serviceUrl()) return undefined;
  const { url, dataDir, stop } = await bootSandbox();
  setService(url, dataDir);
  return stop;
}
