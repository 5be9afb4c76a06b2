import type { ReactNode } from "react";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { type Failing, isUnknown } from "./action-answer.ts";
import { OUTDATED } from "./answer-of.ts";

type FailureNoticeProps = {
  /** What did not happen: "No delegation was created." */
  title: string;
  /** What to do where it may have happened. Operations that move money or create something need it. */
  unknown?: ReactNode;
  /** The form or the operation; nothing is shown without a failure. */
  of: Failing;
};

/** Why an operation failed, read out when it appears. */
export function FailureNotice({ title, unknown, of }: FailureNoticeProps) {
  const { failure, failureCode } = of;
  if (!failure) return null;
  if (failureCode === OUTDATED.code) {
    return (
      <div role="alert">
        <Notice
          tone="refused"
          title={title}
          action={
            <Button size="small" onClick={() => window.location.reload()}>
              Reload page
            </Button>
          }
        >
          {failure}
        </Notice>
      </div>
    );
  }
  const code = failureCode && { code: failureCode };
  return (
    <div role="alert">
      {unknown && isUnknown(of) ? (
        <Notice tone="unknown" title="We don’t know yet whether this went through." {...code}>
          {failureCode ? failure : "The connection was lost before the service answered."} {unknown}
        </Notice>
      ) : (
        <Notice tone="refused" title={title} {...code}>
          {failure}
        </Notice>
      )}
    </div>
  );
}
