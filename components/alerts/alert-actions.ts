import type { OperationActions } from "../forms/action-answer.ts";

export type AlertActions = OperationActions<
  | "createAlertRule"
  | "updateAlertRule"
  | "deleteAlertRule"
  | "setEmailAddress"
  | "removeEmailAddress"
>;
