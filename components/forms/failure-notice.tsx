import type { ReactNode } from "react";
import { signInHref } from "../sign-in/sign-in-href.ts";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { OUTDATED } from "./answer-of.ts";
import { type FailureWordsInput, failureWords } from "./failure-words.ts";

/**
 * Why an operation failed, read out when it appears; nothing is shown without a failure. `signsIn` where the operation is a
 * sign-in itself, which is `unauthorized` for its proof.
 */
export function FailureNotice({
  signsIn = false,
  ...props
}: FailureWordsInput & { signsIn?: boolean }) {
  const { failure, failureCode } = props.of;
  if (!failure) return null;
  const { tone, title, text, advice } = failureWords(props);
  const action = signsIn ? undefined : actionAfter(failureCode);
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
