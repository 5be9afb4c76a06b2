import { RegisterPlan } from "@turnpike/payments/protocol";
import type { DraftPath } from "./draft-faults.ts";
import { draftPathOf } from "./draft-path.ts";
import type { ServiceRules } from "./payload-of-draft.ts";

/** The service's own schemas for plans, with their issues mapped to the draft's fields. */
export const serviceRules: ServiceRules = {
  metadata: (metadata) => {
    const checked = RegisterPlan.shape.metadataAttributes.safeParse(metadata);
    return (checked.error?.issues ?? []).map(({ path, message }) => ({
      path: String(path[0]) as DraftPath,
      message,
    }));
  },
  payload: (payload) =>
    (RegisterPlan.safeParse(payload).error?.issues ?? []).map(({ path, message }) => ({
      path: draftPathOf(path.map(String).join(".")),
      message,
    })),
};
