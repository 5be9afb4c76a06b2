import { inlineCode } from "./inline-code.tsx";

/** A cause behind a code, and what ends it. */
export type NamedCause = { cause: string; title: string; text: string; isForBuilder: boolean };

/** The precise causes that answers and the activity log name beside a code. */
export function ErrorCauses({ causes }: { causes: NamedCause[] }) {
  if (causes.length === 0) return null;
  return (
    <section aria-labelledby="causes" className="grid gap-3">
      <h2 id="causes" className="text-h2">
        Causes
      </h2>
      <p className="max-w-[68ch] text-ink-2">
        Verify and settle return the exact cause in <code>cause</code>. Causes in the builder’s
        setup are shown only to the builder, in <code>detail</code> and in the activity log.
      </p>
      <dl className="border-line border-t">
        {causes.map(({ cause, title, text, isForBuilder }) => (
          <div
            key={cause}
            className="grid gap-x-4 gap-y-1 border-line border-b py-2.5 sm:grid-cols-[230px_minmax(0,1fr)]"
          >
            <dt className="grid content-start">
              {title}
              <code className="wrap-anywhere text-ink-2 text-small">{cause}</code>
            </dt>
            <dd className="text-ink-2">
              {isForBuilder && <span className="text-ink">For the builder. </span>}
              {inlineCode(text)}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
