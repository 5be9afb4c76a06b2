import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { inFolder } from "@/lib/testing/temp-folder.ts";
import { becomesHealthy, type SpawnedService, spawnService } from "./spawn-service.ts";

const SETTINGS = { TURNPIKE_DATA_DIR: "/x" };

/** A program in the service's place. */
const withProgram = (program: string, work: (service: SpawnedService) => Promise<void>) =>
  inFolder(async (folder) => {
    const entry = join(folder, "service.mjs");
    await writeFile(entry, program);
    await work(await spawnService({ settings: SETTINGS, entry }));
  });

test("a service that a signal kills while it boots is known to have ended", () =>
  withProgram("setInterval(() => {}, 1_000)", async (service) => {
    await service.end("SIGKILL");
    expect(service.child.signalCode).toBe("SIGKILL");
    expect(await becomesHealthy(service)).toBe(false);
  }));

test("a service is started without the settings that the developer has exported", async () => {
  vi.stubEnv("DATABASE_URL", "postgres://dev@localhost/shop");
  vi.stubEnv("STRIPE_SECRET_KEY", "sk_live_1");
  vi.stubEnv("TURNPIKE_ENVIRONMENT", "live");
  await withProgram("console.error(JSON.stringify(process.env))", async (service) => {
    await service.ended;
    expect(JSON.parse(service.stderr())).toMatchObject({
      ...SETTINGS,
      DATABASE_URL: " ",
      STRIPE_SECRET_KEY: " ",
      TURNPIKE_ENVIRONMENT: "sandbox",
    });
  });
});
