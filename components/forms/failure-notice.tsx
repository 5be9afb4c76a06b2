import { Notice } from "../ui/notice.tsx";

type FailureNoticeProps = {
  /** What did not happen: "No delegation was created." */
  title: string;
  /** The form or the operation; nothing is shown without a failure. */
  of: { failure: string | undefined; failureCode?: string | undefined };
};

/** Why an operation failed, read out when it appears. */
export function FailureNotice({ title, of: { failure, failureCode } }: FailureNoticeProps) {
  if (!failure) return null;
  return (
    <div role="alert">
      <Notice tone="refused" title={title} {...(failureCode && { code: failureCode })}>
        {failure}
      </Notice>
    </div>
  );
}
