import { ERRORS, type ErrorCode } from "@turnpike/payments/protocol";
import Link from "next/link";
import { DocsFrame, DocsHead } from "@/components/docs/docs-frame.tsx";
import { HttpStatus } from "@/components/ui/values/http-status.tsx";
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
          Every error answer has the same members, and links to the page of its code in{" "}
          <code className="text-[15px]">docs</code>.
        </DocsHead>
        <dl className="border-line border-t">
          {(Object.entries(ERROR_TITLES) as [ErrorCode, string][]).map(([code, title]) => (
            <div
              key={code}
              className="grid gap-x-4 gap-y-1 border-line border-b py-2.5 sm:grid-cols-[260px_minmax(0,1fr)]"
            >
              <dt className="flex items-start gap-3">
                <Status status={ERRORS[code].status} />
                <Link
                  href={`/docs/errors/${code}`}
                  prefetch={false}
                  className="link wrap-anywhere font-mono text-mono"
                >
                  {code}
                </Link>
              </dt>
              <dd>
                {title}. <span className="text-ink-2">{ERRORS[code].hint}</span>
              </dd>
            </div>
          ))}
        </dl>
      </div>
    </DocsFrame>
  );
}

const Status = ({ status }: { status: number }) =>
  status > 0 ? (
    <HttpStatus status={status} />
  ) : (
    <span className="w-9 text-ink-2 text-small">client</span>
  );
