import type { EmailAddress } from "@/lib/console/email-address.ts";
import type { ActionAnswer, OperationAction } from "../forms/action-answer.ts";

/** What the pages of alerts change. */
export type AlertActions = {
  createAlertRule: OperationAction<"createAlertRule">;
  updateAlertRule: OperationAction<"updateAlertRule">;
  deleteAlertRule: (ruleId: string) => Promise<ActionAnswer<unknown>>;
  setEmailAddress: (address: string) => Promise<ActionAnswer<EmailAddress>>;
  removeEmailAddress: () => Promise<ActionAnswer<EmailAddress>>;
};
