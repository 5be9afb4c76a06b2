import type { ComponentProps } from "react";
import { cn } from "../cn.ts";
import { useLive } from "../use-live.ts";
import { CONTROL } from "./control-look.ts";
import { Field, type FieldProps } from "./field.tsx";
import { useFieldControl } from "./field-context.ts";
import { EXACT, TextInput, type TextInputProps } from "./text-input.tsx";

type Labelled<Control> = Omit<FieldProps, "children"> & Omit<Control, keyof FieldProps>;

/**
 * A line of text with its label, its help and its error.
 *
 * @example
 * <TextField label="Name" isOptional error={errors.name?.message} {...register("name")} />
 */
export function TextField(props: Labelled<TextInputProps>) {
  const { field, control } = partsOf(props);
  return (
    <Field {...field}>
      <TextInput {...control} />
    </Field>
  );
}

/** Several lines of text with their label, their help and their error. */
export function TextAreaField(props: Labelled<TextAreaProps>) {
  const { field, control } = partsOf(props);
  return (
    <Field {...field}>
      <TextArea {...control} />
    </Field>
  );
}

function partsOf<Props extends Omit<FieldProps, "children">>(props: Props) {
  const {
    label,
    hint,
    echo,
    good,
    error,
    errorCode,
    isRequired,
    isOptional,
    className,
    ...control
  } = props;
  const notes = { hint, echo, good, error, errorCode };
  return { field: { label, ...notes, isRequired, isOptional, className }, control };
}

type TextAreaProps = ComponentProps<"textarea"> & { isMono?: boolean };

/** Several lines of text; grows with its content where the browser supports it. */
function TextArea({ isMono, className, rows = 3, ...props }: TextAreaProps) {
  const isLive = useLive();
  return (
    <textarea
      rows={rows}
      {...(isMono && EXACT)}
      {...props}
      readOnly={props.readOnly || !isLive}
      {...useFieldControl(props)}
      className={cn(
        CONTROL,
        "field-sizing-content max-h-96 min-h-20 resize-y py-2",
        isMono && "font-mono text-mono",
        className,
      )}
    />
  );
}
