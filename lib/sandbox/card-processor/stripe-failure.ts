type Fields = {
  code?: string;
  decline_code?: string;
  param?: string;
  payment_intent?: unknown;
  setup_intent?: unknown;
  payment_method?: unknown;
  charge?: string;
};

type FailureType = "invalid_request_error" | "card_error" | "idempotency_error" | "api_error";

/** An error answer in Stripe's format. */
export class StripeFailure extends Error {
  constructor(
    readonly status: number,
    readonly type: FailureType,
    message: string,
    readonly fields: Fields = {},
    /** Whether the request had begun: its answer is kept under its idempotency key. */
    readonly isKept = false,
  ) {
    super(message);
  }

  body(): { error: Record<string, unknown> } {
    const { code } = this.fields;
    const doc = code ? { doc_url: `https://docs.stripe.com/error-codes/${code}` } : {};
    return { error: { message: this.message, type: this.type, ...doc, ...this.fields } };
  }
}

export const invalid = (message: string, fields: Fields = {}): StripeFailure =>
  new StripeFailure(400, "invalid_request_error", message, fields);

/** Parameters that were accepted, and a state that does not allow it: repeated under its key for a day, as Stripe does. */
export const refused = (message: string, fields: Fields = {}): StripeFailure =>
  new StripeFailure(400, "invalid_request_error", message, fields, true);

export const missing = (what: string, id: string, param = "id"): StripeFailure =>
  new StripeFailure(404, "invalid_request_error", `No such ${what}: '${id}'`, {
    code: "resource_missing",
    param,
  });
