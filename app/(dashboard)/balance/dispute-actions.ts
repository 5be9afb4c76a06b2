"use server";

import { actionsOf } from "@/app/_session/operations.ts";

const action = actionsOf("/balance/disputes", "layout");

export const submitEvidence = action("submitEvidence");
