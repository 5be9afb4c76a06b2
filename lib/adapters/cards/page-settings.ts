/** What a page needs to talk to the processor directly. */
export type PageSettings = {
  publishableKey: string;
  /** Where a payment's or setup's holder confirms it, when the processor has a page for that. */
  confirmationUrlOf?: ((intentId: string, clientSecret: string) => string) | undefined;
};
