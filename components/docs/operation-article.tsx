import type { ReactNode } from "react";
import type { BodyForm, Field } from "./describe-schema.ts";
import type { OperationEntry } from "./read-operations.ts";

/** One operation: what it does, what it takes, what it answers. */
export function OperationArticle({ entry }: { entry: OperationEntry }) {
  const { name, method, path, summary, isPublic, isSandboxOnly, parameters, body, answer } = entry;
  const inputs = parameters.length + body.reduce((sum, form) => sum + form.fields.length, 0);
  return (
    <article id={name} className="scroll-mt-6 border-line border-t py-5 target:border-t-accent">
      <header className="grid gap-1">
        <h3 className="flex flex-wrap items-baseline gap-x-3 text-h3">
          <a href={`#${name}`} className="text-ink no-underline hover:underline">
            {name}
          </a>
          <span className="font-normal text-ink-2 text-small">
            {isPublic ? "Public" : "API key required"}
            {isSandboxOnly && ", sandbox only"}
          </span>
        </h3>
        <p className="wrap-anywhere font-mono text-mono">
          <span className="mr-2 font-medium text-ink-2">{method}</span>
          {path}
        </p>
        <p className="max-w-[68ch] text-ink-2">{summary}.</p>
      </header>
      <div className="mt-3 grid gap-x-8 gap-y-2 xl:grid-cols-2">
        <Fold title="Input" count={inputs}>
          {parameters.length > 0 && <Fields fields={parameters} />}
          <Forms forms={body} />
        </Fold>
        <Fold title="Response" count={answer.reduce((sum, form) => sum + form.fields.length, 0)}>
          <Forms forms={answer} />
        </Fold>
      </div>
    </article>
  );
}

function Fold({ title, count, children }: { title: string; count: number; children: ReactNode }) {
  if (count === 0) {
    return <p className="py-1.5 text-ink-2 text-note">{title}: nothing</p>;
  }
  return (
    <details className="min-w-0">
      <summary className="cursor-pointer py-1.5 text-label marker:text-ink-2">
        {title}
        <span className="ml-2 font-normal text-ink-2 text-small">
          {count} {count === 1 ? "field" : "fields"}
        </span>
      </summary>
      {children}
    </details>
  );
}

function Forms({ forms }: { forms: BodyForm[] }) {
  return forms.map((form, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the forms of one body keep their places.
    <div key={index}>
      {(forms.length > 1 || form.type !== "object") && (
        <p className="pt-2 text-ink-2 text-small">
          {forms.length > 1 ? `Form ${index + 1} of ${forms.length}` : `A ${form.type}, each with`}
        </p>
      )}
      <Fields fields={form.fields} />
    </div>
  ));
}

function Fields({ fields }: { fields: (Field & { place?: string })[] }) {
  return (
    <dl className="fields">
      {fields.map(({ name, type, isRequired, depth, place }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: names repeat between nested objects.
        <div key={index} data-depth={depth}>
          <dt>{name}</dt>
          <dd>
            {type}
            {place && `, in the ${place}`}
            {!isRequired && <i>optional</i>}
          </dd>
        </div>
      ))}
    </dl>
  );
}
