import type { Stripe } from "stripe";
import { type FormTree, type FormValue, parseForm, valuesOf } from "./form-body.ts";
import { invalid } from "./stripe-failure.ts";

/** Reads one parameter; throws Stripe's error for an invalid value. */
type Reader<T> = (value: FormValue, name: string) => T;
type Shape = Record<string, Reader<unknown>>;
type Values<S extends Shape> = { [K in keyof S]?: S[K] extends Reader<infer T> ? T : never };

export const text: Reader<string> = (value, name) => {
  if (typeof value === "string") return value;
  throw invalid(`Invalid string: ${name}`, { param: name });
};

export const integer: Reader<number> = (value, name) => {
  if (typeof value === "string" && /^-?\d{1,15}$/.test(value)) return Number(value);
  const shown = typeof value === "string" ? value : "{}";
  throw invalid(`Invalid integer: ${shown}`, { code: "parameter_invalid_integer", param: name });
};

export const flag: Reader<boolean> = (value, name) => {
  if (value === "true" || value === "false") return value === "true";
  throw invalid(`Invalid boolean: ${String(value)}`, { param: name });
};

export const texts: Reader<string[]> = (value, name) =>
  valuesOf(value).map((each) => text(each, name));

/** Up to 50 keys of 40 characters with values of 500, as Stripe allows. */
export const metadata: Reader<Record<string, string>> = (value, name) => {
  if (typeof value === "string") {
    if (value === "") return {};
    throw invalid("Invalid object", { param: name });
  }
  const entries = Object.entries(value).map(([key, each]) => [key, text(each, name)] as const);
  if (entries.length > 50 || entries.some(([key, each]) => key.length > 40 || each.length > 500)) {
    throw invalid("Metadata takes 50 keys of 40 characters with values of 500.", { param: name });
  }
  return Object.fromEntries(entries);
};

/** A nested object with its own parameters. */
export const object =
  <S extends Shape>(shape: S): Reader<Values<S>> =>
  (value, name) => {
    if (typeof value === "string") throw invalid("Invalid object", { param: name });
    return readParams(value, shape, (inner) => `${name}[${inner}]`);
  };

/** Whether methods are chosen automatically. This processor has cards, which may redirect or not. */
export const automaticMethods: Reader<Stripe.PaymentIntent.AutomaticPaymentMethods> = (
  value,
  name,
) => {
  const shape = { enabled: flag, allow_redirects: text };
  const { enabled, allow_redirects: redirects = "always" } = object(shape)(value, name);
  if (redirects !== "always" && redirects !== "never") {
    throw invalid(`Invalid ${name}[allow_redirects]: must be one of always or never`, {
      param: `${name}[allow_redirects]`,
    });
  }
  return { enabled: required(enabled, `${name}[enabled]`), allow_redirects: redirects };
};

/** An epoch second, or a range of them. */
export const created: Reader<(at: number) => boolean> = (value, name) => {
  if (typeof value === "string") return (at) => at === integer(value, name);
  const range = readParams(value, { gt: integer, gte: integer, lt: integer, lte: integer });
  return (at) =>
    at > (range.gt ?? Number.NEGATIVE_INFINITY) &&
    at >= (range.gte ?? Number.NEGATIVE_INFINITY) &&
    at < (range.lt ?? Number.POSITIVE_INFINITY) &&
    at <= (range.lte ?? Number.POSITIVE_INFINITY);
};

/** Reads a route's parameters and, like Stripe, rejects unknown ones. Every route accepts `expand` and `key`. */
export function readParams<S extends Shape>(
  tree: FormTree,
  shape: S,
  nameOf: (name: string) => string = (name) => name,
): Values<S> {
  const values: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(tree)) {
    if (name === "expand" || name === "key") continue;
    const reader = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (!reader) {
      const param = nameOf(name);
      throw invalid(`Received unknown parameter: ${param}`, { code: "parameter_unknown", param });
    }
    values[name] = reader(value, nameOf(name));
  }
  return values as Values<S>;
}

export function required<T>(value: T | undefined, param: string): T {
  if (value !== undefined && value !== "") return value;
  throw invalid(`Missing required param: ${param}.`, { code: "parameter_missing", param });
}

/** Parses a form or query; errors are in Stripe's format. */
export function readForm(source: string): FormTree {
  try {
    return parseForm(source);
  } catch (cause) {
    throw invalid(cause instanceof Error ? cause.message : "Invalid form");
  }
}
