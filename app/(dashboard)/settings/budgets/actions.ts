"use server";

import type { InputOf } from "@turnpike/payments/protocol";
import { changeOf } from "@/app/_session/operations.ts";

const changeBudgets = changeOf("/settings/budgets");

/** Replaces the budgets of the signed-in account. */
export const setBudgets = async (input: InputOf<"setBudgets">) =>
  changeBudgets("setBudgets", input);
