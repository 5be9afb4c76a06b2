import { generateKeyPairSync, sign } from "node:crypto";

/** DER: a tag, the length, the content. */
function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 0x80 ? [length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const [SEQUENCE, SET, INTEGER, BIT_STRING, UTF8, UTC_TIME] = [0x30, 0x31, 0x02, 0x03, 0x0c, 0x17];
const ECDSA_SHA256 = der(SEQUENCE, Buffer.from("06082a8648ce3d040302", "hex"));
const COMMON_NAME = Buffer.from("0603550403", "hex");

/** A key and its own certificate (RFC 5280, version 1), which no authority has signed. */
export function selfSigned(host: string): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const name = der(
    SEQUENCE,
    der(SET, der(SEQUENCE, COMMON_NAME, der(UTF8, Buffer.from(host, "utf8")))),
  );
  const times = ["200101000000Z", "491231235959Z"].map((at) => der(UTC_TIME, Buffer.from(at)));
  const body = der(
    SEQUENCE,
    der(INTEGER, Buffer.from([1])),
    ECDSA_SHA256,
    name,
    der(SEQUENCE, ...times),
    name,
    publicKey.export({ type: "spki", format: "der" }),
  );
  const signature = sign("sha256", body, privateKey);
  const whole = der(SEQUENCE, body, ECDSA_SHA256, der(BIT_STRING, Buffer.from([0]), signature));
  const text = whole.toString("base64").replace(/.{64}/g, "$&\n");
  return {
    key: String(privateKey.export({ type: "pkcs8", format: "pem" })),
    cert: `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`,
  };
}
