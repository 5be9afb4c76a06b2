import { Notice } from "../ui/notice.tsx";

type FailureNoticeProps = {
  /** What did not happen: "No delegation was created." */
  title: string;
  /** As the form or the operation has it; nothing is shown without one. */
  failure: string | undefined;
  failureCode?: string | undefined;
};

/** Why an operation failed, read out when it appears. */
export function FailureNotice({ title, failure, failureCode }: FailureNoticeProps) {
  if (!failure) return null;
  return (
    <div role="alert">
      <Notice tone="refused" title={title} {...(failureCode && { code: failureCode })}>
        {failure}
      </Notice>
    </div>
  );
}
