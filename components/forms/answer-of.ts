import { unstable_isUnrecognizedActionError } from "next/navigation";
import type { ActionAnswer, ActionError } from "./action-answer.ts";

/** What a page says if the service no longer knows its actions, because it was redeployed since: none of them runs. */
export const OUTDATED: ActionError = {
  ok: false,
  code: "page_outdated",
  message: "This page is out of date. Nothing was changed.",
  hint: "Reload it.",
  details: [],
  requestId: "",
};

/** What the rejection of a server action says; null where its answer was lost. */
export const errorOfRejection = (cause: unknown): ActionError | null =>
  unstable_isUnrecognizedActionError(cause) ? OUTDATED : null;

/** What a server action answered; null where its answer was lost. */
export const answerOf = <Data>(
  work: Promise<ActionAnswer<Data>>,
): Promise<ActionAnswer<Data> | null> => work.catch(errorOfRejection);
