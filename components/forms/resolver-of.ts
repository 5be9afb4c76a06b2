import type { FieldErrors, FieldValues, Resolver } from "react-hook-form";

/** What was typed: the operation's input, or what is wrong with each field. */
export type Reading<Values, Input> =
  | { input: Input; faults?: undefined }
  | { faults: { [Field in keyof Values]?: string | undefined } };

/** Checks a form with a pure function of its values. */
export const resolverOf =
  <Values extends FieldValues, Input>(
    read: (values: Values) => Reading<Values, Input>,
  ): Resolver<Values, unknown, Input> =>
  (values) => {
    const reading = read(values);
    if ("input" in reading) return { values: reading.input, errors: {} };
    const wrong = Object.entries(reading.faults).filter(([, message]) => message !== undefined);
    const errors = wrong.map(([field, message]) => [field, { type: "invalid", message }]);
    return { values: {}, errors: Object.fromEntries(errors) as FieldErrors<Values> };
  };
