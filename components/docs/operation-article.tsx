import { ERRORS } from "@turnpike/payments/protocol";
import Link from "next/link";
import type { ReactNode } from "react";
import type { BodyForm, Field } from "./describe-schema.ts";
import { ErrorList } from "./error-list.tsx";
import { inlineCode } from "./inline-code.tsx";
import type { OperationEntry } from "./read-operations.ts";

export function OperationFacts({ entry }: { entry: OperationEntry }) {
  const { method, path, right, repeat, isSandboxOnly, call } = entry;
  return (
    <>
      <p className="wrap-anywhere flex flex-wrap items-center gap-3 font-mono text-mono">
        <span className="rounded-tag border border-line-control bg-surface px-2 py-0.5 font-medium">
          {method}
        </span>
        /api/v1{path}
      </p>
      <ul className="mt-4 mb-8 flex flex-wrap gap-x-6 gap-y-1 text-ink-2 text-note">
        <li>
          {right ? (
            <>
              Requires an API key with the scope <code>{right}</code>
            </>
          ) : (
            "Public: no API key"
          )}
        </li>
        <li>{repeat}</li>
        {isSandboxOnly && <li>Sandbox only</li>}
        {call && (
          <li>
            <code className="wrap-anywhere">{call}()</code>
          </li>
        )}
      </ul>
    </>
  );
}

export function OperationArticle({ entry }: { entry: OperationEntry }) {
  const { parameters, body, answer, codes } = entry;
  return (
    <div className="grid gap-8">
      {parameters.length > 0 && (
        <Part id="parameters" title="Parameters">
          <Fields fields={parameters} />
        </Part>
      )}
      {body.some(({ fields }) => fields.length > 0) && (
        <Part id="body" title="Body" meta="application/json">
          <Forms forms={body} />
        </Part>
      )}
      <Part id="answer" title="Response" meta="application/json">
        <Forms forms={answer} />
      </Part>
      <Part
        id="codes"
        title="Error codes"
        meta={
          <Link href="/docs/errors" prefetch={false} className="link">
            All codes
          </Link>
        }
      >
        <ErrorList
          codes={codes}
          textOf={(code) => <span className="text-ink-2">{inlineCode(ERRORS[code].hint)}</span>}
        />
      </Part>
    </div>
  );
}

type PartProps = { id: string; title: string; meta?: ReactNode; children: ReactNode };

function Part({ id, title, meta, children }: PartProps) {
  return (
    <section aria-labelledby={id} className="min-w-0">
      <div className="mb-3 flex items-baseline gap-3">
        <h2 id={id} className="scroll-mt-6 text-h2">
          {title}
        </h2>
        {meta && <span className="ms-auto text-ink-2 text-small">{meta}</span>}
      </div>
      {children}
    </section>
  );
}

function Forms({ forms }: { forms: BodyForm[] }) {
  return forms.map((form, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the forms of one body keep their places.
    <div key={index} className="not-first:mt-5">
      {(forms.length > 1 || form.type !== "object") && (
        <p className="pb-2 text-ink-2 text-small">
          {forms.length > 1
            ? `Option ${index + 1} of ${forms.length}`
            : `An ${form.type}, each with`}
        </p>
      )}
      {form.fields.length > 0 ? (
        <Fields fields={form.fields} />
      ) : (
        <p className="text-ink-2">No fields.</p>
      )}
    </div>
  ));
}

function Fields({ fields }: { fields: (Field & { place?: string })[] }) {
  return (
    <dl className="fields">
      {fields.map(({ name, type, isRequired, depth, place, description }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: names repeat between nested objects.
        <div key={index} data-depth={depth}>
          <dt>
            <code>{name}</code>
            <span>
              {type}
              {place && `, in the ${place}`}
            </span>
            <i>{isRequired ? "Required" : "Optional"}</i>
          </dt>
          {description && <dd>{inlineCode(description)}</dd>}
        </div>
      ))}
    </dl>
  );
}
