import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from "@simplewebauthn/browser";
import { type ActionAnswer, type ActionError, errorText } from "../forms/action-answer.ts";

export type SignInActions = {
  signInAsDemo(role: "builder" | "subscriber"): Promise<ActionAnswer<void>>;
  /** The same as a form, for a click before the page's script runs; it redirects, or answers the error. */
  submitDemo(before: unknown, form: FormData): Promise<ActionError>;
  askWallet(): Promise<ActionAnswer<{ nonce: string; chainId: number }>>;
  signInWithWallet(answer: { message: string; signature: string }): Promise<ActionAnswer<void>>;
  askNewPasskey(): Promise<ActionAnswer<PublicKeyCredentialCreationOptionsJSON>>;
  registerPasskey(response: RegistrationResponseJSON): Promise<ActionAnswer<void>>;
  askPasskey(): Promise<ActionAnswer<PublicKeyCredentialRequestOptionsJSON>>;
  signInWithPasskey(response: AuthenticationResponseJSON): Promise<ActionAnswer<void>>;
};

/** The data of an answer; an error is thrown with its text for the page. */
export async function unwrap<Data>(answer: Promise<ActionAnswer<Data>>): Promise<Data> {
  const given = await answer;
  if (given.ok) return given.data;
  throw new Error(errorText(given));
}
