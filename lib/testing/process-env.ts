import { readFileSync } from "node:fs";
import { join } from "node:path";

type Variables = Record<string, string>;

/** What programs need of the environment they are started in. */
const NEEDED =
  /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_\w+|TZ|TMPDIR|TEMP|TMP|CI|PROOF|SYSTEMROOT|XDG_\w+|SSL_CERT_\w+|(HTTPS?|ALL|NO)_PROXY|NODE_\w+|NPM_CONFIG_\w+)$/i;

/** Which sandbox `scripts/with-sandbox.ts` has started for the tests. */
const GIVEN_TO_TESTS = ["TURNPIKE_URL", "TURNPIKE_E2E_DATA_DIR", "TURNPIKE_SANDBOX_JSON"];

const SETTINGS = Array.from(
  readFileSync(join(import.meta.dirname, "../../.env.example"), "utf8").matchAll(/^([A-Z_]+)=/gm),
  ([, name]) => name as string,
);

/**
 * The environment of a service that a test starts. A developer's settings name their own database, chain and card processor, in the
 * environment or in `.env`, which never replaces a variable that is set, even to a blank, which counts as unset.
 */
export function serviceEnv(
  settings: Variables,
  from: NodeJS.ProcessEnv = process.env,
): Variables & { NODE_ENV: "production" } {
  const needed = Object.entries(from).filter(([name]) => NEEDED.test(name));
  return {
    ...(Object.fromEntries(needed) as Variables),
    ...Object.fromEntries(SETTINGS.map((name) => [name, " "])),
    TURNPIKE_ENVIRONMENT: "sandbox",
    ...settings,
    NODE_ENV: "production",
  };
}

/** The same environment without settings of the service or the SDK. */
export const withoutSettings = (from: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(from).filter(([name]) => !isSetting(name))),
  NODE_ENV: from.NODE_ENV,
});

/** Removes them from this process, except which sandbox the tests are run against, where one was started for them. */
export function forgetSettings(from: NodeJS.ProcessEnv = process.env): void {
  const kept = GIVEN_TO_TESTS.every((name) => from[name]) ? GIVEN_TO_TESTS : [];
  for (const name of Object.keys(from)) {
    if (isSetting(name) && !kept.includes(name)) delete from[name];
  }
}

const isSetting = (name: string) => SETTINGS.includes(name) || name.startsWith("TURNPIKE_");
