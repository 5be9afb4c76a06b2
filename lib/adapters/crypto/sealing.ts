import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

/** What a sealed secret is for, and the row it belongs to, for example the address of a session key. */
type SealedFor = { purpose: string; row: string };

export type Sealing = {
  /** Encrypts a secret under the newest root key. */
  seal: (secret: string, place: SealedFor) => string;
  /** Throws when the text was changed, is of another purpose or row, or its root key is not configured. */
  open: (text: string, place: SealedFor) => string;
  /** Whether a configured root key sealed the text, without opening it where the text names its key. */
  isKnown: (text: string, place: SealedFor) => boolean;
  /** What every text begins with that needs no new seal. */
  currentPrefix: string;
};

const VERSION = "2";
/** Texts of earlier releases: bound to their purpose and not to their row, without the name of their root key. */
const UNBOUND_VERSION = "1";
const UNKNOWN_ROOT =
  "No key of TURNPIKE_SECRET_KEY opens this secret. Add the key that sealed it, then restart.";

/**
 * Envelope encryption: AES-256-GCM, a key per root key and purpose. Purpose and row are bound to the text, so it opens
 * as nothing else and nowhere else.
 *
 * @param rootKeys newest first: the first seals, all open.
 * @example createSealing([newKey, oldKey]).seal(secret, { purpose: "session-key", row: address });
 */
export function createSealing(rootKeys: readonly Uint8Array[]): Sealing {
  const roots = rootKeys.map(createRoot);
  const [newest] = roots;
  if (!newest) throw new Error("Sealing needs a root key.");
  const findRoot = (id: string | undefined) => roots.find((known) => known.id === id);
  return {
    isKnown(text, { purpose }) {
      const [version, ...parts] = text.split(".");
      if (version !== UNBOUND_VERSION) return findRoot(parts[0]) !== undefined;
      try {
        openUnbound(roots, parts, purpose);
        return true;
      } catch {
        return false;
      }
    },
    currentPrefix: `${VERSION}.${newest.id}.`,
    seal(secret, place) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv("aes-256-gcm", newest.keyFor(place.purpose), nonce);
      cipher.setAAD(boundTo(place));
      const sealed = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
      const parts = [nonce, cipher.getAuthTag(), sealed].map((part) => part.toString("base64url"));
      return [VERSION, newest.id, ...parts].join(".");
    },
    open(text, place) {
      const [version, ...parts] = text.split(".");
      if (version === UNBOUND_VERSION) return openUnbound(roots, parts, place.purpose);
      const [id, ...sealed] = parts;
      if (version !== VERSION) throw new Error("Not a sealed secret.");
      const root = findRoot(id);
      if (!root) throw new Error(UNKNOWN_ROOT);
      return decrypt(root.keyFor(place.purpose), sealed, boundTo(place));
    },
  };
}

type Root = { id: string; keyFor: (purpose: string) => Buffer };

function createRoot(rootKey: Uint8Array): Root {
  const keys = new Map<string, Buffer>();
  const id = Buffer.from(deriveKey(rootKey, "root-id")).toString("hex").slice(0, 8);
  const keyFor = (purpose: string) => {
    const known = keys.get(purpose);
    if (known) return known;
    const key = Buffer.from(deriveKey(rootKey, `seal/${purpose}`));
    keys.set(purpose, key);
    return key;
  };
  return { id, keyFor };
}

const boundTo = ({ purpose, row }: SealedFor): Buffer =>
  Buffer.from(`${purpose}\n${row.toLowerCase()}`);

/** These do not name their root key, so each is tried. */
function openUnbound(roots: readonly Root[], parts: string[], purpose: string): string {
  for (const root of roots) {
    try {
      return decrypt(root.keyFor(purpose), parts, Buffer.from(purpose));
    } catch {}
  }
  throw new Error("A sealed secret does not open with the keys of TURNPIKE_SECRET_KEY.");
}

function decrypt(key: Buffer, parts: string[], boundTo: Buffer): string {
  const [nonce, tag, sealed, ...more] = parts.map((part) => Buffer.from(part, "base64url"));
  if (!nonce || !tag || !sealed || more.length > 0) throw new Error("Not a sealed secret.");
  const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: 16 });
  decipher.setAAD(boundTo);
  decipher.setAuthTag(tag);
  return Buffer.concat([decipher.update(sealed), decipher.final()]).toString("utf8");
}

/** A key derived from the root for one use. */
export const deriveKey = (rootKey: Uint8Array, use: string): Uint8Array =>
  new Uint8Array(hkdfSync("sha256", rootKey, "", `turnpike/${use}`, 32));
