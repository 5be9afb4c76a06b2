"use server";

import type { InputOf } from "@turnpike/payments/protocol";
import { revalidatePath } from "next/cache";
import { change } from "@/app/_session/operations.ts";

/** Settles a delivered request by its reservation, exactly once. */
export async function settleRequest(input: InputOf<"settleRequest">) {
  const settled = await change("settleRequest", input);
  revalidatePath("/activity/reconcile");
  return settled;
}

/** Writes off an unsettled request, with a note. */
export async function writeOffRequest(input: InputOf<"writeOffRequest">) {
  const written = await change("writeOffRequest", input);
  revalidatePath("/activity/reconcile");
  return written;
}
