import { pipeline, type Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";

const DECODERS: Record<string, () => NodeJS.ReadWriteStream> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** Two layers are unusual; more are an attack. */
const MAX_LAYERS = 2;

/** Decompresses the body as it is read; null for an unknown encoding. */
export function decodeBody(body: Readable, encoding: string): Readable | null {
  const names = encoding
    .toLowerCase()
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && name !== "identity");
  if (names.length > MAX_LAYERS) return null;
  const layers = names.reverse().map((name) => DECODERS[name]);
  let decoded: Readable = body;
  for (const layer of layers) {
    if (!layer) return null;
    // Errors surface where the last stream is read.
    decoded = pipeline(decoded, layer(), () => {}) as unknown as Readable;
  }
  return decoded;
}
