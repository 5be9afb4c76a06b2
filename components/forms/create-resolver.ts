import { type FieldErrors, type FieldValues, get, type Resolver, set } from "react-hook-form";
import { inFormWords } from "./form-words.ts";

export type FieldFault = { path: string; message: string };

/** What was typed: the operation's input, or what is wrong, by path or by field. */
export type Reading<Values, Input> =
  | { input: Input; faults?: undefined }
  | { faults: readonly FieldFault[] | { [Field in keyof Values]?: string | undefined } };

/** Faults as a form's resolver returns them: in order, the first of each field. */
export function fieldErrors<Values extends FieldValues>(
  faults: readonly FieldFault[],
): FieldErrors<Values> {
  const errors = {};
  for (const { path, message } of faults) {
    if (message && !get(errors, path))
      set(errors, path, { type: "invalid", message: inFormWords(message) });
  }
  return errors;
}

/** Checks a form with a pure function of its values. */
export const createResolver =
  <Values extends FieldValues, Input>(
    read: (values: Values) => Reading<Values, Input | undefined>,
  ): Resolver<Values, unknown, Input> =>
  (values) => {
    const reading = read(values);
    if ("input" in reading) return { values: reading.input as Input, errors: {} };
    const { faults } = reading;
    const named = Object.entries(faults).map(([path, message]) => ({ path, message }));
    return { values: {}, errors: fieldErrors<Values>(Array.isArray(faults) ? faults : named) };
  };
