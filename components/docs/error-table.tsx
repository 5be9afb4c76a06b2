import { ERRORS } from "@turnpike/payments/protocol";
import { HttpStatus } from "../ui/values/http-status.tsx";

/** Every error code with its HTTP status and what the caller should do. */
export function ErrorTable() {
  const rows = Object.entries(ERRORS).filter(([, { status }]) => status > 0);
  return (
    <section aria-labelledby="errors" className="mt-10">
      <h2 id="errors" className="scroll-mt-6 text-h2">
        Errors
      </h2>
      <p className="mt-1 mb-4 max-w-[68ch] text-ink-2">
        Every error is one envelope: <code>code</code>, <code>message</code>,{" "}
        <code>httpStatus</code>, <code>hint</code>, <code>details</code>, <code>requestId</code>.
        The first five are answers of verify and settle too, as <code>invalidReason</code>.
      </p>
      <dl className="border-line border-t">
        {rows.map(([code, { status, hint }]) => (
          <div
            key={code}
            id={`error-${code}`}
            className="grid scroll-mt-6 gap-x-4 gap-y-1 border-line border-b py-2 sm:grid-cols-[280px_minmax(0,1fr)]"
          >
            <dt className="flex items-center gap-3">
              <HttpStatus status={status} />
              <code className="wrap-anywhere">{code}</code>
            </dt>
            <dd className="text-ink-2">{hint}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
