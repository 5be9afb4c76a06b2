"use server";

import { change } from "@/app/_session/operations.ts";

/** Ends a link of the person signed in. */
export async function endSharedRun({ shareId }: { shareId: string }) {
  return change("endSharedRun", { shareId });
}
