import type { ReactNode } from "react";
import { type Failing, isUnknown } from "./action-answer.ts";

export type FailureWordsInput = {
  /** What did not happen: "No delegation was created." */
  title: string;
  /**
   * What to do where it may have happened. Null where the title is true even then: nothing was to be changed, or not what
   * the title names.
   */
  unknown?: ReactNode;
  of: Failing;
};

/** What a failure says: that it did not happen, or that this is not known. */
export function failureWords({
  title,
  unknown = "Reload the page to see whether it did.",
  of,
}: FailureWordsInput) {
  const { failure, failureCode } = of;
  if (unknown === null || !isUnknown(of)) {
    return { tone: "refused", title, text: failure, advice: undefined } as const;
  }
  return {
    tone: "unknown",
    title: "We don’t know yet whether this went through.",
    text: failureCode ? failure : "The connection was lost before the service answered.",
    advice: unknown,
  } as const;
}
