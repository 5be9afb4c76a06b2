import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { serviceEnv } from "@/lib/testing/process-env.ts";
import { inFolder } from "@/lib/testing/temp-folder.ts";
import { loadDotEnv } from "./load-settings.ts";

/** What variables are after `.env` was loaded beside those of `environment`. */
const load = (dotEnv: string, environment: Record<string, string>) =>
  inFolder(async (folder) => {
    writeFileSync(join(folder, ".env"), dotEnv);
    loadDotEnv(environment, folder);
    return environment;
  });

test("a variable that is set has precedence over .env, and one that is empty has not", async () => {
  const dotEnv = "PLATFORM_FEE_BPS=250\nMETRICS_PORT='9100'\nPORT=3000\n";
  expect(await load(dotEnv, { PLATFORM_FEE_BPS: "", PORT: "4000" })).toEqual({
    PLATFORM_FEE_BPS: "250",
    METRICS_PORT: "9100",
    PORT: "4000",
  });
});

test("without .env the environment alone counts, and one that can't be read is named as that", () =>
  inFolder(async (folder) => {
    const environment = { PORT: "4000" };
    loadDotEnv(environment, folder);
    expect(environment).toEqual({ PORT: "4000" });
    mkdirSync(join(folder, ".env"));
    expect(() => loadDotEnv(environment, folder)).toThrow(
      /^The user of this process can't read \.env \(E\w+\)/,
    );
  }));

test("a start logs a variable that looks like a setting and is none", () => {
  const program =
    "const { loadSettings } = await import('./lib/server/settings/load-settings.ts'); loadSettings();";
  const { stderr } = spawnSync(
    process.execPath,
    ["--import", "./scripts/typescript.mjs", "--input-type=module", "--eval", program],
    { env: { ...serviceEnv({}), TRUSTED_PROXY: "1" }, encoding: "utf8" },
  );
  expect(stderr).toContain("TRUSTED_PROXY is not a setting. Did you mean TRUSTED_PROXIES?");
});
