"use server";

import { actionOf } from "@/app/_session/operations.ts";

/** Shares a run. The service redacts it again before storing it. */
export const shareRun = actionOf("shareRun");
export const endSharedRun = actionOf("endSharedRun");
