"use server";

import { actionsOf } from "../_session/operations.ts";

const action = actionsOf("/", "layout");

/** Tops the account up with test money. The sandbox alone has this operation, and the next one. */
export async function addTestFunds() {
  return action("fund")({});
}

export const advanceClock = action("advanceClock");
