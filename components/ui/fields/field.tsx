"use client";

import { type ReactNode, useId } from "react";
import { cn } from "../cn.ts";
import { Icon } from "../icon.tsx";
import { FieldContext } from "./field-context.ts";

export type FieldProps = {
  label: ReactNode;
  /** One line of help. */
  hint?: ReactNode;
  /** The parsed value, in mono: `= 25,000,000 (6 decimals)`. */
  echo?: ReactNode;
  /** What was checked and is valid, with a tick. */
  good?: ReactNode;
  /** What is wrong and how to fix it. */
  error?: ReactNode;
  /** The error code, shown small and in mono. */
  errorCode?: string;
  isRequired?: boolean;
  isOptional?: boolean;
  className?: string;
  /** One control of this folder; it takes its id and description from the field. */
  children: ReactNode;
};

/** A label above a control, and under it its parsed value or its error. */
export function Field({ label, isOptional, className, children, ...rest }: FieldProps) {
  const { id, notesId, context, notes } = useNotes(rest);
  return (
    <FieldContext value={context}>
      <div className={cn("grid min-w-0 content-start gap-1.5", className)}>
        <label htmlFor={id} className="text-label">
          {label}
          {isOptional && <span className="font-normal text-ink-2"> (optional)</span>}
        </label>
        {children}
        <Notes id={notesId} {...notes} />
      </div>
    </FieldContext>
  );
}

/** A field of several controls with one name: radio buttons, a segmented control, three amounts. */
export function FieldGroup({ label, isOptional, className, children, ...rest }: FieldProps) {
  const { notesId, context, notes } = useNotes(rest);
  return (
    <fieldset
      aria-describedby={context.describedBy}
      className={cn("grid min-w-0 content-start gap-1.5", className)}
    >
      <legend className="mb-1.5 text-label">
        {label}
        {isOptional && <span className="font-normal text-ink-2"> (optional)</span>}
      </legend>
      {children}
      <Notes id={notesId} {...notes} />
    </fieldset>
  );
}

type NoteProps = Pick<FieldProps, "hint" | "echo" | "good" | "error" | "errorCode">;

function useNotes({ isRequired = false, ...notes }: NoteProps & { isRequired?: boolean }) {
  const id = useId();
  const notesId = `${id}-notes`;
  const isInvalid = Boolean(notes.error);
  const hasNotes = Boolean(notes.error || notes.echo || notes.good || notes.hint);
  const context: FieldContext = {
    id,
    describedBy: hasNotes ? notesId : undefined,
    isInvalid,
    isRequired,
  };
  return { id, notesId, context, notes };
}

function Notes({ id, hint, echo, good, error, errorCode }: NoteProps & { id: string }) {
  return (
    <div id={id} className="grid gap-1 text-note empty:hidden">
      {echo && <p className="font-mono text-ink-2 text-small">{echo}</p>}
      {error && (
        <p className="flex gap-1.5" data-error>
          <Icon name="cross" className="mt-px size-4 text-refused" />
          <span>
            {error} {errorCode && <code className="text-ink-2 text-small">{errorCode}</code>}
          </span>
        </p>
      )}
      {!error && good && (
        <p className="flex gap-1.5 text-ink-2">
          <Icon name="tick" className="mt-px size-4 text-settled" />
          <span>{good}</span>
        </p>
      )}
      {hint && <p className="text-ink-2">{hint}</p>}
    </div>
  );
}
