"use server";

import { PaymentsError } from "@turnpike/payments/protocol";
import { revalidatePath } from "next/cache";
import { answer, sentFrom } from "@/app/_session/operations.ts";
import { requireCaller } from "@/app/_session/session.ts";
import { ProfileName, renameAccount } from "@/lib/domain/accounts/profile.ts";
import { getRunning } from "@/lib/server/running.ts";

export async function saveName(name: string) {
  return answer(async (requestId) => {
    const caller = await requireCaller();
    const parsed = ProfileName.safeParse(name);
    if (!parsed.success) {
      const message = parsed.error.issues[0]?.message ?? "";
      throw new PaymentsError("invalid_input", `name: ${message}`, {
        details: [{ path: "name", message }],
      });
    }
    const { ports } = await getRunning();
    const address = await sentFrom();
    await renameAccount({ ports, caller, keyHash: null, requestId, address }, parsed.data);
    revalidatePath("/", "layout");
  });
}
