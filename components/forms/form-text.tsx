import { type FieldPath, type FieldValues, useFormContext } from "react-hook-form";
import type { FieldProps } from "../ui/fields/field.tsx";
import { TextAreaField, TextField } from "../ui/fields/text-field.tsx";
import type { TextInputProps } from "../ui/fields/text-input.tsx";
import { inFormWords } from "./form-words.ts";

type FormTextProps<Values extends FieldValues> = Omit<TextInputProps, "name" | "className"> &
  Pick<FieldProps, "label" | "hint" | "isRequired" | "isOptional" | "className"> & {
    name: FieldPath<Values>;
    isLong?: boolean;
  };

/** A text field of the form around it, with its label and its error. */
export function FormText<Values extends FieldValues>(props: FormTextProps<Values>) {
  const { name, label, hint, isRequired, isOptional, className, isLong, ...input } = props;
  const { register, getFieldState, formState } = useFormContext<Values>();
  const { error } = getFieldState(name, formState);
  const field = {
    label,
    hint,
    isRequired,
    isOptional,
    className,
    error: error?.message && inFormWords(error.message),
  };
  if (isLong) return <TextAreaField {...field} {...register(name)} />;
  return <TextField {...field} autoComplete="off" {...input} {...register(name)} />;
}
