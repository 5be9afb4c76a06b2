"use client";

import { Field, type FieldProps } from "./field.tsx";
import { TextArea, type TextAreaProps } from "./text-area.tsx";
import { TextInput, type TextInputProps } from "./text-input.tsx";

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
