import { createOperations } from "@turnpike/payments";
import type { z } from "zod";
import { type FaultRequest, sandbox } from "../../lib/sandbox/operations.ts";
import { clientOf } from "./sandbox-file.ts";

/** Arms a fault of the sandbox. Other tests have theirs: it is cleared alone. */
export async function armFault(apiKey: string, request: z.input<typeof FaultRequest>) {
  const faults = createOperations(clientOf({ apiKey }).connection, sandbox);
  const { faultId } = await faults.injectFault(request);
  return {
    /** How many calls it has struck, while it is armed. */
    async struck(): Promise<number> {
      const { items } = await faults.listFaults();
      return items.find((each) => each.faultId === faultId)?.struck ?? 0;
    },
    async clear(): Promise<void> {
      await faults.clearFaults(faultId);
    },
  };
}
