import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

const VERSION = "1";

/**
 * Envelope encryption under one root key: AES-256-GCM, a key per purpose. The purpose is bound to the
 * text, so what was sealed as a session key cannot be opened as anything else.
 */
export function createSealing(rootKey: Uint8Array) {
  const keys = new Map<string, Buffer>();
  const keyFor = (purpose: string) => {
    const known = keys.get(purpose);
    if (known) return known;
    const key = Buffer.from(hkdfSync("sha256", rootKey, "", `turnpike/seal/${purpose}`, 32));
    keys.set(purpose, key);
    return key;
  };

  return {
    seal(secret: string, purpose: string): string {
      const nonce = randomBytes(12);
      const cipher = createCipheriv("aes-256-gcm", keyFor(purpose), nonce);
      cipher.setAAD(Buffer.from(purpose));
      const sealed = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
      return [VERSION, nonce, cipher.getAuthTag(), sealed]
        .map((part) => (typeof part === "string" ? part : part.toString("base64url")))
        .join(".");
    },
    /** Throws when the text was changed, sealed for another purpose, or under another root key. */
    open(text: string, purpose: string): string {
      const [version, ...parts] = text.split(".");
      if (version !== VERSION || parts.length !== 3) throw new Error("Not a sealed secret.");
      const [nonce, tag, sealed] = parts.map((part) => Buffer.from(part, "base64url")) as [
        Buffer,
        Buffer,
        Buffer,
      ];
      const decipher = createDecipheriv("aes-256-gcm", keyFor(purpose), nonce);
      decipher.setAAD(Buffer.from(purpose));
      decipher.setAuthTag(tag);
      return Buffer.concat([decipher.update(sealed), decipher.final()]).toString("utf8");
    },
  };
}

/** A key derived from the root for one use. */
export const deriveKey = (rootKey: Uint8Array, use: string): Uint8Array =>
  new Uint8Array(hkdfSync("sha256", rootKey, "", `turnpike/${use}`, 32));
