"use server";

import type { InputOf } from "@turnpike/payments/protocol";
import { change } from "@/app/_session/operations.ts";
import type { ConsoleOperations } from "@/lib/console/operations.ts";

/** Shares a run. The service redacts it again before storing it. */
export async function shareRun(input: InputOf<"shareRun", ConsoleOperations>) {
  return change("shareRun", input);
}

export async function endSharedRun(input: InputOf<"endSharedRun", ConsoleOperations>) {
  return change("endSharedRun", input);
}
