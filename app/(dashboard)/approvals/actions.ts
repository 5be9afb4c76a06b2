"use server";

import { actionsOf } from "@/app/_session/operations.ts";

const action = actionsOf("/approvals", "layout");

export const approveRequest = action("approveRequest");
export const declineRequest = action("declineRequest");
