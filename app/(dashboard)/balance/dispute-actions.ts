"use server";

import type { InputOf } from "@turnpike/payments/protocol";
import { changeOf } from "@/app/_session/operations.ts";

const changeDisputes = changeOf("/balance/disputes", "layout");

export const submitEvidence = async (input: InputOf<"submitEvidence">) =>
  changeDisputes("submitEvidence", input);
