"use server";

import { change } from "../_session/operations.ts";

/** Tops the account up with test money. The sandbox alone has this operation, and the next one. */
export async function addTestFunds() {
  return change("fund", {});
}

export async function advanceClock(seconds: number) {
  return change("advanceClock", { seconds });
}
