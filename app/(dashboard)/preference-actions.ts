"use server";

import { answer } from "../_session/operations.ts";
import { writePreference } from "../_session/preferences.ts";
import { requireCaller } from "../_session/session.ts";

export async function chooseDensity(isCompact: boolean) {
  return answer(async () => {
    await requireCaller();
    await writePreference("density", isCompact === true ? "compact" : "comfortable");
  });
}

/** What Home starts with; both lists for anything but a role. */
export async function chooseStart(start: "builder" | "subscriber" | "both") {
  return answer(async () => {
    await requireCaller();
    const isRole = start === "builder" || start === "subscriber";
    await writePreference("start", isRole ? start : "both");
  });
}
