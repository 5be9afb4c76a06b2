"use client";

import type { BaseSyntheticEvent } from "react";
import {
  type DefaultValues,
  type FieldValues,
  type Path,
  type Resolver,
  type UseFormReturn,
  useForm,
} from "react-hook-form";
import type { ActionAnswer } from "./action-answer.ts";
import { fieldsOfError } from "./fields-of-error.ts";

type OperationFormOptions<Values extends FieldValues, Input, Data> = {
  defaultValues: DefaultValues<Values>;
  /** `zodResolver(schema)`; leave it out where each field brings its own rules. */
  resolver?: Resolver<Values, unknown, Input>;
  mode?: "onSubmit" | "onBlur" | "onTouched" | "onChange";
  /** The server action. A lost connection becomes an error of the form. */
  run: (input: Input) => Promise<ActionAnswer<Data>>;
  /** Called with what the operation answered, once it has succeeded. */
  onDone: (data: Data) => void;
  /** Called with an error no field explains; without it the error is shown as `failure`. */
  onError?: (error: Extract<ActionAnswer<Data>, { ok: false }>) => void;
  /** The field an error's path belongs to, where the names differ. */
  fieldOf?: (path: string) => Path<Values> | undefined;
};

/** A form and the operation it runs. */
export type OperationForm<Values extends FieldValues, Input> = Omit<
  UseFormReturn<Values, unknown, Input>,
  "handleSubmit"
> & {
  /** For `<form onSubmit>`. */
  submit: (event?: BaseSyntheticEvent) => Promise<void>;
  isPending: boolean;
  /** What went wrong and what to do, when no field explains it. */
  failure: string | undefined;
};

/**
 * Binds a form to an operation: checks the values, runs the server action, puts each error beside its field
 * and the focus on the first one. `failure` is what no field explains.
 *
 * @example
 * const form = useOperationForm({ defaultValues: { name: "" }, run: createApiKey, onDone: close });
 * <form onSubmit={form.submit}>…<Button type="submit" isPending={form.isPending}>Create key</Button></form>
 */
export function useOperationForm<Values extends FieldValues, Input = Values, Data = unknown>({
  defaultValues,
  resolver,
  mode = "onTouched",
  run,
  onDone,
  onError,
  fieldOf,
}: OperationFormOptions<Values, Input, Data>): OperationForm<Values, Input> {
  const { handleSubmit, ...form } = useForm<Values, unknown, Input>({
    defaultValues,
    mode,
    ...(resolver && { resolver }),
  });
  const { errors, isSubmitting } = form.formState;
  const submit = handleSubmit(async (input) => {
    const answer = await run(input as Input).catch(() => null);
    if (answer?.ok) return onDone(answer.data);
    const known = fieldNames(form.getValues());
    const placed = placeDetails(answer?.details ?? [], known, fieldOf);
    let shouldFocus = true;
    for (const [field, message] of placed) {
      form.setError(field as Path<Values>, { message }, { shouldFocus });
      shouldFocus = false;
    }
    if (placed.size > 0) return;
    if (answer && onError) return onError(answer);
    form.setError("root", { message: answer ? `${answer.message} ${answer.hint}` : UNREACHABLE });
  });
  return { ...form, submit, isPending: isSubmitting, failure: errors.root?.message };
}

const UNREACHABLE = "The service can't be reached. Check your connection and try again.";

/** Every field's path, nested ones with dots. */
function fieldNames(values: Record<string, unknown>, prefix = ""): string[] {
  return Object.entries(values).flatMap(([key, value]) => {
    const name = `${prefix}${key}`;
    const isNested = typeof value === "object" && value !== null && !Array.isArray(value);
    return isNested ? [name, ...fieldNames(value as Record<string, unknown>, `${name}.`)] : [name];
  });
}

function placeDetails(
  details: Parameters<typeof fieldsOfError>[0],
  fields: readonly string[],
  fieldOf: ((path: string) => string | undefined) | undefined,
): Map<string, string> {
  if (!fieldOf) return fieldsOfError(details, fields);
  const renamed = details.map(({ path, message }) => ({ path: fieldOf(path) ?? path, message }));
  return fieldsOfError(renamed, fields);
}
