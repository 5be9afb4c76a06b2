import { type ReactNode, useEffect, useId, useState } from "react";
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
export function Field(props: FieldProps) {
  const { label, isRequired = false, isOptional, className, children, ...notes } = props;
  const id = useId();
  const notesId = `${id}-notes`;
  const { isLeft, handlers } = useJustLeft();
  const hasNotes = Boolean(notes.error || notes.echo || notes.good || notes.hint);
  const context: FieldContext = {
    id,
    describedBy: hasNotes ? notesId : undefined,
    isInvalid: Boolean(notes.error),
    isRequired,
  };
  return (
    <FieldContext value={context}>
      <div className={cn("grid min-w-0 content-start gap-1.5", className)} {...handlers}>
        <label htmlFor={id} className="text-label">
          {label}
          {isOptional && <span className="font-normal text-ink-2"> (optional)</span>}
        </label>
        {children}
        <Notes id={notesId} {...notes} {...{ hasNotes, isLeft }} />
      </div>
    </FieldContext>
  );
}

type NotesProps = Pick<FieldProps, "hint" | "echo" | "good" | "error" | "errorCode"> & {
  id: string;
  hasNotes: boolean;
  /** Whether the field was just left, so that an error which appears is read out: the focus reads all others. */
  isLeft: boolean;
};

function Notes({ id, hasNotes, isLeft, hint, echo, good, error, errorCode }: NotesProps) {
  return (
    <div id={id} className={cn("text-note", hasNotes ? "grid gap-1" : "contents")}>
      {echo && <p className="font-mono text-ink-2 text-small">{echo}</p>}
      <div aria-live={isLeft ? "polite" : "off"} className="contents">
        {error && (
          <p className="flex gap-1.5" data-error>
            <Icon name="cross" className="mt-px size-4 text-refused" />
            <span>
              {error} {errorCode && <code className="text-ink-2 text-small">{errorCode}</code>}
            </span>
          </p>
        )}
      </div>
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

/** Long enough for the check that leaving a field starts, and short enough that the form is not sent within it. */
const LEFT_MS = 2_000;

/** Whether the focus has just left an element, and the handlers that the element needs to tell. */
function useJustLeft() {
  const [isLeft, setLeft] = useState(false);
  useEffect(() => {
    if (!isLeft) return;
    const timer = setTimeout(() => setLeft(false), LEFT_MS);
    return () => clearTimeout(timer);
  }, [isLeft]);
  return { isLeft, handlers: { onBlur: () => setLeft(true), onFocus: () => setLeft(false) } };
}
