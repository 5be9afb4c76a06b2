"use server";

import { actionsOf } from "@/app/_session/operations.ts";

const action = actionsOf("/activity/reconcile");

/** Settles a delivered request by its reservation, exactly once. */
export const settleRequest = action("settleRequest");

/** Writes off an unsettled request, with a note. */
export const writeOffRequest = action("writeOffRequest");
