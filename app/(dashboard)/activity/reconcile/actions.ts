"use server";

import type { InputOf } from "@turnpike/payments/protocol";
import { revalidatePath } from "next/cache";
import { change } from "@/app/_session/operations.ts";

/** Settles a delivered request by the record of its hold; once, whatever happens. */
export async function settleRequest(input: InputOf<"settleRequest">) {
  const settled = await change("settleRequest", input);
  revalidatePath("/activity/reconcile");
  return settled;
}

/** Gives up the credits of a request that is not settled, with a note why. */
export async function writeOffRequest(input: InputOf<"writeOffRequest">) {
  const written = await change("writeOffRequest", input);
  revalidatePath("/activity/reconcile");
  return written;
}
