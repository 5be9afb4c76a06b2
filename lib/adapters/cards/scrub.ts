const SECRETS = [
  /\bpm_\w+/g,
  /\b(?:cus|seti|src|tok|card)_[A-Za-z0-9]{14,}\w*/g,
  /\b(?:sk|rk|pk)_(?:test|live)_[A-Za-z0-9_*]+/g,
  /\bwhsec_[A-Za-z0-9_]+/g,
  /\bpi_[A-Za-z0-9]+_secret_[A-Za-z0-9]+/g,
  /\b\d(?:[ -]?\d){11,18}\b/g,
];

/** Removes card numbers, payment methods, customers and keys, so that a text may be logged or answered. */
export const scrub = (text: string): string =>
  SECRETS.reduce((rest, secret) => rest.replace(secret, "[redacted]"), text);

/** It is unknown whether a payment was made. The message may be logged. */
export class PaymentOutcomeUnknown extends Error {
  override readonly name = "PaymentOutcomeUnknown";

  constructor(reason: string) {
    // No cause: the processor's error holds the request, and the request holds the card.
    super(scrub(reason));
  }
}

/** Errors may be logged: they name their subject, must not contain cards, keys or customers, and carry no cause. */
export async function readable<T>(work: () => Promise<T>, subject?: string): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof PaymentOutcomeUnknown) throw cause;
    const text = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
    throw new PaymentOutcomeUnknown(subject ? `${subject}: ${text}` : text);
  }
}
