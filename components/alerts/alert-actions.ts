import type { EmailAddress } from "@/lib/console/email-address.ts";
import type { ActionAnswer, OperationActions } from "../forms/action-answer.ts";

export type AlertActions = OperationActions<
  "createAlertRule" | "updateAlertRule" | "deleteAlertRule" | "removeEmailAddress"
> & { setEmailAddress: (address: string) => Promise<ActionAnswer<EmailAddress>> };
