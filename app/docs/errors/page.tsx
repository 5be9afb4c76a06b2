import { ERRORS, type ErrorCode } from "@turnpike/payments/protocol";
import { DocsFrame, DocsHead } from "@/components/docs/docs-frame.tsx";
import { ErrorList } from "@/components/docs/error-list.tsx";
import { inlineCode } from "@/components/docs/inline-code.tsx";
import { ERROR_TITLES } from "@/lib/console/error-titles.ts";
import { errorGroups } from "../read-docs.ts";

export const metadata = {
  title: "Error codes",
  description:
    "Every error code of the API and the client: what it means, and what to do about it.",
  alternates: { canonical: "/docs/errors" },
};

export default function ErrorsPage() {
  return (
    <DocsFrame groups={errorGroups()} path="/docs/errors">
      <div className="max-w-190">
        <DocsHead trail={[{ href: "/docs", label: "Docs" }]} title="Error codes">
          Every error has the same fields. <code className="text-[0.9375rem]">docs</code> links to
          its page here.
        </DocsHead>
        <ErrorList
          codes={Object.keys(ERROR_TITLES) as ErrorCode[]}
          textOf={(code) => (
            <>
              {ERROR_TITLES[code]}.{" "}
              <span className="text-ink-2">{inlineCode(ERRORS[code].hint)}</span>
            </>
          )}
        />
      </div>
    </DocsFrame>
  );
}
