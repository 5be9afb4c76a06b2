"use server";

import { writePreference } from "../_session/preferences.ts";

export async function chooseDensity(isCompact: boolean) {
  await writePreference("density", isCompact === true ? "compact" : "comfortable");
}

/** What Home starts with; both lists for anything but a role. */
export async function chooseStart(start: "builder" | "subscriber" | "both") {
  const isRole = start === "builder" || start === "subscriber";
  await writePreference("start", isRole ? start : "both");
}
