import type { AlertRule, InputOf } from "@turnpike/payments/protocol";
import type { EmailAddress } from "@/lib/console/email-address.ts";
import type { ActionAnswer } from "../forms/action-answer.ts";

/** What the pages of alerts change. */
export type AlertActions = {
  createAlertRule: (input: InputOf<"createAlertRule">) => Promise<ActionAnswer<AlertRule>>;
  updateAlertRule: (input: InputOf<"updateAlertRule">) => Promise<ActionAnswer<AlertRule>>;
  deleteAlertRule: (ruleId: string) => Promise<ActionAnswer<unknown>>;
  setEmailAddress: (address: string) => Promise<ActionAnswer<EmailAddress>>;
  removeEmailAddress: () => Promise<ActionAnswer<EmailAddress>>;
};
