import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { OUTDATED } from "./answer-of.ts";
import { type FailureWordsInput, failureWords } from "./failure-words.ts";

/** Why an operation failed, read out when it appears; nothing is shown without a failure. */
export function FailureNotice(props: FailureWordsInput) {
  const { failure, failureCode } = props.of;
  if (!failure) return null;
  const { tone, title, text, advice } = failureWords(props);
  if (failureCode === OUTDATED.code) {
    return (
      <div role="alert">
        <Notice
          tone={tone}
          title={title}
          action={
            <Button size="small" onClick={() => window.location.reload()}>
              Reload page
            </Button>
          }
        >
          {text}
        </Notice>
      </div>
    );
  }
  return (
    <div role="alert">
      <Notice tone={tone} title={title} {...(failureCode && { code: failureCode })}>
        {text} {advice}
      </Notice>
    </div>
  );
}
