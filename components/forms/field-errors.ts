import { type FieldErrors, type FieldValues, get, type Resolver, set } from "react-hook-form";

export type FieldFault = { path: string; message: string };

/** Faults as a form's resolver returns them: in order, the first of each field. */
export function fieldErrors<Values extends FieldValues>(
  faults: readonly FieldFault[],
): FieldErrors<Values> {
  const errors = {};
  for (const { path, message } of faults) {
    if (!get(errors, path)) set(errors, path, { type: "rule", message });
  }
  return errors;
}

/** A form's resolver from a rule that lists faults and a function that makes the operation's input. */
export const createResolver =
  <Values extends FieldValues, Input>(
    check: (values: Values) => FieldFault[],
    read: (values: Values) => Input,
  ): Resolver<Values, unknown, Input> =>
  (values) => {
    const faults = check(values);
    if (faults.length === 0) return { values: read(values), errors: {} };
    return { values: {}, errors: fieldErrors<Values>(faults) };
  };
