import "server-only";
import { YEAR_SECS } from "@/lib/text/durations.ts";
import { readCookie, writeCookie } from "./cookies.ts";

/** What a person chose to see, kept in this browser for a year so that the server renders it; the first is usual. */
const PREFERENCES = {
  /** How close the rows of tables are. */
  density: ["comfortable", "compact"],
  /** What a new account starts with on Home. */
  start: ["both", "builder", "subscriber"],
} as const;

type Preferences = typeof PREFERENCES;

export async function readPreference<K extends keyof Preferences>(
  name: K,
): Promise<Preferences[K][number]> {
  const kept = await readCookie(name);
  const options: readonly Preferences[K][number][] = PREFERENCES[name];
  return options.find((option) => option === kept) ?? PREFERENCES[name][0];
}

export async function writePreference<K extends keyof Preferences>(
  name: K,
  value: Preferences[K][number],
): Promise<void> {
  await writeCookie(name, value, YEAR_SECS);
}
