import type { ErrorDetail } from "@turnpike/payments/protocol";
import type { BaseSyntheticEvent } from "react";
import {
  type DefaultValues,
  type FieldErrors,
  type FieldValues,
  type Path,
  type Resolver,
  type UseFormReturn,
  useForm,
} from "react-hook-form";
import { type ActionAnswer, errorText, UNREACHABLE } from "./action-answer.ts";
import { answerOf } from "./answer-of.ts";
import { inFormWords } from "./form-words.ts";

type OperationFormOptions<Values extends FieldValues, Input, Data> = {
  defaultValues: DefaultValues<Values>;
  /** `zodResolver(schema)`; leave it out where each field brings its own rules. */
  resolver?: Resolver<Values, unknown, Input>;
  /**
   * When fields are checked first. By default with the form, whose first wrong field takes the focus, which reads its error
   * out. An error that appears when a field is left is read out by the field.
   */
  mode?: "onSubmit" | "onTouched";
  /** The server action. A lost connection becomes an error of the form. */
  run: (input: Input) => Promise<ActionAnswer<Data>>;
  /**
   * Called with what the operation answered and what was sent, once it has succeeded. `form.reset(saved, KEEP_TYPED)` shows
   * what is saved.
   */
  onDone: (data: Data, input: Input) => void;
  /** Called with an error no field explains; without it the error is shown as `failure`. */
  onError?: (error: Extract<ActionAnswer<Data>, { ok: false }>) => void;
  /** Called with the first wrong field when nothing was saved; a form in steps opens the step that has it. */
  onInvalid?: (field: Path<Values>) => void;
  /** The field an error's path belongs to, where the names differ. */
  fieldOf?: (path: string) => Path<Values> | undefined;
};

export type OperationForm<Values extends FieldValues, Input> = UseFormReturn<
  Values,
  unknown,
  Input
> & {
  /** For `<form onSubmit>`. */
  submit: (event?: BaseSyntheticEvent) => Promise<void>;
  isPending: boolean;
  /** What went wrong and what to do, when no field explains it. */
  failure: string | undefined;
  /** The code of `failure`; none after a lost connection, when the outcome is unknown. */
  failureCode: string | undefined;
};

/** Keeps what was typed since the form was sent, as unsaved edits. */
export const KEEP_TYPED = { keepDirtyValues: true, keepDirty: true } as const;

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
  mode = "onSubmit",
  run,
  onDone,
  onError,
  onInvalid,
  fieldOf,
}: OperationFormOptions<Values, Input, Data>): OperationForm<Values, Input> {
  const form = useForm<Values, unknown, Input>({
    defaultValues,
    mode,
    ...(resolver && { resolver }),
  });
  const { errors, isSubmitting } = form.formState;
  const submit = form.handleSubmit(
    async (input) => {
      const sent = structuredClone(form.getValues());
      const answer = await answerOf(run(input as Input));
      if (answer?.ok) {
        // What was sent is saved; what was typed meanwhile is not.
        form.resetDefaultValues(sent);
        return onDone(answer.data, input as Input);
      }
      const known = fieldNames(form.getValues());
      const placed = [...placeDetails(answer?.details ?? [], known, fieldOf)];
      for (const [index, [field, message]] of placed.entries()) {
        form.setError(field as Path<Values>, { message }, { shouldFocus: index === 0 });
      }
      const [wrong] = placed;
      if (wrong) return onInvalid?.(wrong[0] as Path<Values>);
      if (answer && onError) return onError(answer);
      form.setError(
        "root",
        answer ? { type: answer.code, message: errorText(answer) } : { message: UNREACHABLE },
      );
    },
    (faults) => {
      const field = firstField(faults);
      if (field !== undefined) onInvalid?.(field as Path<Values>);
    },
  );
  const failure = errors.root?.message;
  const failureCode = failure === undefined ? undefined : errors.root?.type?.toString();
  return { ...form, submit, isPending: isSubmitting, failure, failureCode };
}

/** Every field's path, nested ones with dots. */
function fieldNames(values: object, prefix = ""): string[] {
  return Object.entries(values).flatMap(([key, value]) => {
    const name = `${prefix}${key}`;
    const isNested = typeof value === "object" && value !== null;
    return isNested ? [name, ...fieldNames(value, `${name}.`)] : [name];
  });
}

function firstField(faults: FieldErrors, prefix = ""): string | undefined {
  for (const [key, fault] of Object.entries(faults)) {
    if (typeof fault !== "object" || fault === null || key === "root") continue;
    if ("message" in fault && typeof fault.message === "string") return `${prefix}${key}`;
    const inner = firstField(fault as FieldErrors, `${prefix}${key}.`);
    if (inner) return inner;
  }
  return undefined;
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

/**
 * Matches an error's details with the fields of a form: by the whole path, else by its longest tail, so
 * that `metadataAttributes.name` finds `name`. Returns the first message of each field.
 */
export function fieldsOfError(
  details: readonly ErrorDetail[],
  fields: readonly string[],
): Map<string, string> {
  const found = new Map<string, string>();
  for (const { path, message } of details) {
    const parts = path.split(".");
    const field = parts.map((_, from) => parts.slice(from).join(".")).find(isIn(fields));
    if (field !== undefined && !found.has(field)) found.set(field, inFormWords(message));
  }
  return found;
}

const isIn = (fields: readonly string[]) => (name: string) => fields.includes(name);
