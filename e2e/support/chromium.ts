import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import type { LaunchOptions } from "@playwright/test";
import packaged from "@sparticuz/chromium";

const run = promisify(execFile);

// The package's default arguments disable web security, which these tests check.
const PACKAGED_ARGS = ["--headless=shell", "--no-sandbox", "--no-zygote", "--disable-gpu"];
const SYSTEM_ARGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
const SYSTEM_NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** The browser: `CHROMIUM_PATH`, the npm package's, or the system's. */
export async function chromiumLaunchOptions(): Promise<LaunchOptions> {
  const chosen = process.env.CHROMIUM_PATH;
  if (chosen) return { executablePath: chosen, args: SYSTEM_ARGS };
  const executablePath = await packaged.executablePath();
  const fault = await faultOf(executablePath);
  if (!fault) return { executablePath, args: PACKAGED_ARGS };
  const system = findOnPath();
  if (system) return { executablePath: system, args: SYSTEM_ARGS };
  throw new Error(
    `The packaged Chromium does not run here (${fault}) and no other is on the PATH. ` +
      "Install libnss3 and libnspr4, or set CHROMIUM_PATH.",
  );
}

async function faultOf(executablePath: string): Promise<string | undefined> {
  try {
    await run(executablePath, ["--headless=shell", "--no-sandbox", "--version"]);
    return undefined;
  } catch (error) {
    return String((error as { stderr?: string }).stderr || error).trim();
  }
}

const findOnPath = (): string | undefined =>
  (process.env.PATH ?? "")
    .split(delimiter)
    .flatMap((folder) => SYSTEM_NAMES.map((name) => join(folder, name)))
    .find((path) => existsSync(path));
