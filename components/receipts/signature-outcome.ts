/** What became of one signed receipt or offer, in words; `isValid` is null where it could not be verified. */
export type SignatureOutcome = {
  key: string;
  isValid: boolean | null;
  title: string;
  text: string;
};

/** The outcome where something that the check needs could not be fetched. */
export const notVerified = (cause: string): SignatureOutcome => ({
  key: "unknown",
  isValid: null,
  title: "The signature could not be verified",
  text: `${cause} It may still be valid. Try again.`,
});
