import type { ReactNode } from "react";
import { signInHref } from "../sign-in/sign-in-href.ts";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { OUTDATED } from "./answer-of.ts";
import { type FailureWordsInput, failureWords } from "./failure-words.ts";

/** Why an operation failed, read out when it appears; nothing is shown without a failure. */
export function FailureNotice(props: FailureWordsInput) {
  const { failure, failureCode } = props.of;
  if (!failure) return null;
  const { tone, title, text, advice } = failureWords(props);
  const action = actionAfter(failureCode);
  return (
    <div role="alert">
      <Notice
        tone={tone}
        title={title}
        {...(action ? { action } : failureCode && { code: failureCode })}
      >
        {text} {advice}
      </Notice>
    </div>
  );
}

function actionAfter(code: string | undefined): ReactNode {
  if (code === "unauthorized") {
    return (
      <a className="link" href={signInHref()}>
        Sign in
      </a>
    );
  }
  if (code !== OUTDATED.code) return undefined;
  return (
    <Button size="small" onClick={() => window.location.reload()}>
      Reload page
    </Button>
  );
}
