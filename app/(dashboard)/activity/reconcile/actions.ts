"use server";

import type { InputOf } from "@turnpike/payments/protocol";
import { changeOf } from "@/app/_session/operations.ts";

const changeHere = changeOf("/activity/reconcile");

/** Settles a delivered request by its reservation, exactly once. */
export async function settleRequest(input: InputOf<"settleRequest">) {
  return changeHere("settleRequest", input);
}

/** Writes off an unsettled request, with a note. */
export async function writeOffRequest(input: InputOf<"writeOffRequest">) {
  return changeHere("writeOffRequest", input);
}
