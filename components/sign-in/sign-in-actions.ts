import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from "@simplewebauthn/browser";
import {
  type ActionAnswer,
  type ActionError,
  type Failing,
  failingOf,
} from "../forms/action-answer.ts";
import { answerOf } from "../forms/answer-of.ts";

export type SignInActions = {
  signInAsDemo(role: "builder" | "subscriber"): Promise<ActionAnswer<void>>;
  /** The same as a form, for a click before the page's script runs; it redirects, or answers the error. */
  submitDemo(before: unknown, form: FormData): Promise<ActionError>;
  askWallet(): Promise<ActionAnswer<{ nonce: string; chainId: number; issuedAt: string }>>;
  signInWithWallet(answer: { message: string; signature: string }): Promise<ActionAnswer<void>>;
  askNewPasskey(): Promise<ActionAnswer<PublicKeyCredentialCreationOptionsJSON>>;
  registerPasskey(response: RegistrationResponseJSON): Promise<ActionAnswer<void>>;
  askPasskey(): Promise<ActionAnswer<PublicKeyCredentialRequestOptionsJSON>>;
  signInWithPasskey(response: AuthenticationResponseJSON): Promise<ActionAnswer<void>>;
};

/** A sign-in that failed, as the page shows it. */
export class SignInFailure extends Error {
  readonly failing: Failing;

  constructor(failing: Failing) {
    super(failing.failure);
    this.failing = failing;
  }
}

/** The data of an answer before the last one. Throws `SignInFailure`: the person is not signed in. */
export const ask = <Data>(asked: Promise<ActionAnswer<Data>>): Promise<Data> =>
  dataOf(asked, (failing) => ({ ...failing, isCertain: true }));

/** Waits for the answer that signs in. Throws `SignInFailure`; only a lost answer leaves open whether the person is signed in. */
export const prove = (proof: Promise<ActionAnswer<void>>): Promise<void> =>
  dataOf(proof, (failing, isLost) => ({ ...failing, isCertain: !isLost }));

async function dataOf<Data>(
  asked: Promise<ActionAnswer<Data>>,
  judge: (failing: Failing, isLost: boolean) => Failing,
): Promise<Data> {
  const given = await answerOf(asked);
  if (given?.ok) return given.data;
  throw new SignInFailure(judge(failingOf(given), given === null));
}
