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
  putChallenge(hash: string, challenge: string, expiresAt: Date): Promise<void>;
  /** Reads a challenge and removes it: the second who asks gets null. */
  takeChallenge(hash: string, now: Date): Promise<string | null>;
  openSession(session: SessionRecord): Promise<void>;
  findSession(hash: string): Promise<SessionRecord | null>;
  touchSession(hash: string, seenAt: Date): Promise<void>;
  endSession(hash: string): Promise<void>;
  /** Ends it at that time, if it does not end before. */
  endSessionBy(hash: string, at: Date): Promise<void>;
  findPasskey(credentialId: string): Promise<PasskeyRecord | null>;
  addPasskey(passkey: PasskeyRecord): Promise<void>;
  /** Notes a use; false when the counter did not move on, as a cloned authenticator's would not. */
  markPasskeyUsed(credentialId: string, counter: number, usedAt: Date): Promise<boolean>;
  /** Removes what ended, by the database's clock; how many rows that were. */
  sweep(): Promise<number>;
}
