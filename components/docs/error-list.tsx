import { ERRORS, type ErrorCode } from "@turnpike/payments/protocol";
import Link from "next/link";
import type { ReactNode } from "react";
import { HttpStatus } from "../ui/values/http-status.tsx";

type ErrorListProps = { codes: readonly ErrorCode[]; textOf: (code: ErrorCode) => ReactNode };

export function ErrorList({ codes, textOf }: ErrorListProps) {
  return (
    <dl className="border-line border-t">
      {codes.map((code) => (
        <div
          key={code}
          className="grid gap-x-4 gap-y-1 border-line border-b py-2 sm:grid-cols-[250px_minmax(0,1fr)]"
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
          <dd>{textOf(code)}</dd>
        </div>
      ))}
    </dl>
  );
}

const Status = ({ status }: { status: number }) => (
  <span className="flex h-5 w-9 shrink-0 items-center">
    {status > 0 ? (
      <HttpStatus status={status} />
    ) : (
      <span className="text-ink-2 text-small">client</span>
    )}
  </span>
);
