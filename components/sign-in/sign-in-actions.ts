import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from "@simplewebauthn/browser";

type Failed = { ok: false; message: string; hint: string };
type Answer<T> = { ok: true; data: T } | Failed;

/** What the page's server does for the ways to sign in. */
export type SignInActions = {
  signInAsDemo(role: "builder" | "subscriber"): Promise<Answer<void>>;
  /** The same as a form, for a press before the page's script runs; answers only what went wrong. */
  submitDemo(before: unknown, form: FormData): Promise<Failed>;
  askWallet(): Promise<Answer<{ nonce: string; chainId: number }>>;
  signInWithWallet(answer: { message: string; signature: string }): Promise<Answer<void>>;
  askNewPasskey(): Promise<Answer<PublicKeyCredentialCreationOptionsJSON>>;
  registerPasskey(response: RegistrationResponseJSON): Promise<Answer<void>>;
  askPasskey(): Promise<Answer<PublicKeyCredentialRequestOptionsJSON>>;
  signInWithPasskey(response: AuthenticationResponseJSON): Promise<Answer<void>>;
};

export const wordsOf = ({ message, hint }: Failed): string => `${message} ${hint}`;

/** The data of an answer; what went wrong is thrown with words for the person. */
export async function unwrap<T>(answer: Promise<Answer<T>>): Promise<T> {
  const given = await answer;
  if (given.ok) return given.data;
  throw new Error(wordsOf(given));
}
