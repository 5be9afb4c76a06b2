import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server";
import { isoCBOR } from "@simplewebauthn/server/helpers";

const PRESENT = 0x01;
const VERIFIED = 0x04;
const ATTESTED = 0x40;

/** What the site asked, and whether the device checked who holds it (a PIN or a finger). */
type Asked = { challenge: string; origin: string; isVerified: boolean };

const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64url");
const sha256 = (bytes: Uint8Array | string) => createHash("sha256").update(bytes).digest();

/** A passkey in software: answers as an authenticator does, with user verification or without. */
export function createSoftwarePasskey() {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { x = "", y = "" } = publicKey.export({ format: "jwk" });
  const credentialId = randomBytes(16);
  const id = base64url(credentialId);

  const facts = ({ origin, isVerified }: Asked, flags: number, counter: number) =>
    Buffer.concat([
      sha256(new URL(origin).hostname),
      Buffer.from([flags | PRESENT | (isVerified ? VERIFIED : 0), 0, 0, 0, counter]),
    ]);
  const clientData = (type: string, { challenge, origin }: Asked) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  const around = { id, rawId: id, type: "public-key", clientExtensionResults: {} } as const;

  return {
    register(asked: Asked): RegistrationResponseJSON {
      const coseKey = new Map<number, number | Uint8Array>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, new Uint8Array(Buffer.from(x, "base64url"))],
        [-3, new Uint8Array(Buffer.from(y, "base64url"))],
      ]);
      const authData = Buffer.concat([
        facts(asked, ATTESTED, 0),
        Buffer.alloc(16),
        Buffer.from([0, credentialId.length]),
        credentialId,
        isoCBOR.encode(coseKey),
      ]);
      const attestation = new Map<string, string | Map<string, string> | Uint8Array>([
        ["fmt", "none"],
        ["attStmt", new Map()],
        ["authData", new Uint8Array(authData)],
      ]);
      return {
        ...around,
        response: {
          clientDataJSON: base64url(clientData("webauthn.create", asked)),
          attestationObject: base64url(isoCBOR.encode(attestation)),
        },
      };
    },
    signIn(asked: Asked, counter = 1): AuthenticationResponseJSON {
      const client = clientData("webauthn.get", asked);
      const authenticatorData = facts(asked, 0, counter);
      const signed = Buffer.concat([authenticatorData, sha256(client)]);
      return {
        ...around,
        response: {
          clientDataJSON: base64url(client),
          authenticatorData: base64url(authenticatorData),
          signature: base64url(sign("sha256", signed, privateKey)),
        },
      };
    },
  };
}
