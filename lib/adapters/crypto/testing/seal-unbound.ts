import { createCipheriv, randomBytes } from "node:crypto";
import { deriveKey } from "../sealing.ts";

/** A secret as earlier releases sealed it. */
export function sealUnbound(rootKey: Uint8Array, secret: string, purpose: string): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", deriveKey(rootKey, `seal/${purpose}`), nonce);
  cipher.setAAD(Buffer.from(purpose));
  const sealed = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
  const parts = [nonce, cipher.getAuthTag(), sealed].map((part) => part.toString("base64url"));
  return ["1", ...parts].join(".");
}
