const RATE = 136;
const ROUNDS = 24;

/**
 * The Keccak-256 hash of bytes, or of a text's UTF-8 bytes, 32 bytes long. Ethereum hashes with it: it is not SHA3-256, and
 * WebCrypto does not have it.
 */
export function keccak256(data: string | Uint8Array): Uint8Array {
  const message = typeof data === "string" ? new TextEncoder().encode(data) : data;
  const padded = new Uint8Array((Math.floor(message.length / RATE) + 1) * RATE);
  padded.set(message);
  padded[message.length] = 1;
  padded[padded.length - 1] = at(padded, padded.length - 1) | 0x80;

  const words = new Int32Array(padded.buffer);
  const state = new Int32Array(50);
  for (let block = 0; block < words.length; block += RATE / 4) {
    for (let i = 0; i < RATE / 4; i++) state[i] = at(state, i) ^ at(words, block + i);
    permute(state);
  }
  return new Uint8Array(state.buffer, 0, 32);
}

const at = (words: Int32Array | Uint8Array, index: number) => words[index] as number;

// The steps are named as in FIPS 202. A lane of 64 bits is two words, the low one first.
function permute(state: Int32Array): void {
  const row = new Int32Array(10);
  let lfsr = 1;
  for (let round = 0; round < ROUNDS; round++) {
    theta(state, row);
    rhoAndPi(state);
    chi(state, row);
    for (let j = 0; j < 7; j++) {
      const bit = (1 << j) - 1;
      if (lfsr & 1) state[bit >> 5] = at(state, bit >> 5) ^ (1 << bit);
      lfsr = (lfsr << 1) ^ ((lfsr >> 7) * 0x171);
    }
  }
}

function theta(state: Int32Array, parity: Int32Array): void {
  for (let i = 0; i < 10; i++) {
    parity[i] =
      at(state, i) ^ at(state, i + 10) ^ at(state, i + 20) ^ at(state, i + 30) ^ at(state, i + 40);
  }
  for (let i = 0; i < 10; i += 2) {
    const low = at(parity, (i + 2) % 10);
    const high = at(parity, (i + 3) % 10);
    const lowChange = at(parity, (i + 8) % 10) ^ ((low << 1) | (high >>> 31));
    const highChange = at(parity, (i + 9) % 10) ^ ((high << 1) | (low >>> 31));
    for (let lane = i; lane < 50; lane += 10) {
      state[lane] = at(state, lane) ^ lowChange;
      state[lane + 1] = at(state, lane + 1) ^ highChange;
    }
  }
}

// Without swaps by destructuring, which take three times as long until they are compiled.
function rhoAndPi(state: Int32Array): void {
  let x = 1;
  let y = 0;
  let low = at(state, 2);
  let high = at(state, 3);
  for (let step = 1; step < 25; step++) {
    const next = (2 * x + 3 * y) % 5;
    x = y;
    y = next;
    const lane = 2 * (x + 5 * y);
    const turn = (step * (step + 1)) / 2;
    const first = turn & 32 ? high : low;
    const second = turn & 32 ? low : high;
    low = at(state, lane);
    high = at(state, lane + 1);
    state[lane] = (first << turn) | (second >>> -turn);
    state[lane + 1] = (second << turn) | (first >>> -turn);
  }
}

function chi(state: Int32Array, row: Int32Array): void {
  for (let start = 0; start < 50; start += 10) {
    for (let i = 0; i < 10; i++) row[i] = at(state, start + i);
    for (let i = 0; i < 10; i++) {
      state[start + i] = at(row, i) ^ (~at(row, (i + 2) % 10) & at(row, (i + 4) % 10));
    }
  }
}
