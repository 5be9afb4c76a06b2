"use server";

import { YEAR_SECS } from "@/lib/text/durations.ts";
import { DENSITY_COOKIE, writeCookie } from "../_session/cookies.ts";

/** Keeps how close the rows of tables are, in this browser for a year. */
export async function chooseDensity(isCompact: boolean) {
  const expires = new Date(Date.now() + YEAR_SECS * 1_000);
  await writeCookie(DENSITY_COOKIE, isCompact === true ? "compact" : "comfortable", expires);
}
