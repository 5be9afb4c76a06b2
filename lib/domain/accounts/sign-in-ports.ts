/** How a browser proved who sits before it. */
export type SignInMethod = "wallet" | "passkey" | "demo";

export type SessionRecord = {
  /** SHA-256 of the cookie's value. */
  hash: string;
  account: string;
  method: SignInMethod;
  createdAt: Date;
  seenAt: Date;
  /** The end nothing moves. */
  expiresAt: Date;
  /** When it was read. All these times are of the database's clock: those of replicas may differ. */
  now: Date;
};

type PasskeyRecord = {
  credentialId: string;
  account: string;
  /** COSE, base64url. */
  publicKey: string;
  counter: number;
  transports: string[];
  createdAt: Date;
  lastUsedAt: Date | null;
};

/** Where browsers' sign-ins are kept. */
export interface SignIns {
  /** Keeps a challenge for some seconds; when it expires. */
  putChallenge(hash: string, challenge: string, secs: number): Promise<Date>;
  /** Reads a challenge and removes it: the second who asks gets null. */
  takeChallenge(hash: string): Promise<{ challenge: string; now: Date } | null>;
  openSession(
    session: Pick<SessionRecord, "hash" | "account" | "method">,
    secs: number,
  ): Promise<void>;
  findSession(hash: string): Promise<SessionRecord | null>;
  touchSession(hash: string): Promise<void>;
  endSession(hash: string): Promise<void>;
  /** Ends it after some seconds, if it does not end before. */
  endSessionIn(hash: string, secs: number): Promise<void>;
  findPasskey(credentialId: string): Promise<PasskeyRecord | null>;
  addPasskey(passkey: PasskeyRecord): Promise<void>;
  /** Notes a use; false when the counter did not move on, as a cloned authenticator's would not. */
  markPasskeyUsed(credentialId: string, counter: number, usedAt: Date): Promise<boolean>;
  /** Removes what ended; how many rows that were. */
  sweep(): Promise<number>;
}
