/** Addresses that must never be called, in every spelling a URL or name server accepts. */
const DENIED_V4 = [
  "127.0.0.1",
  "127.255.255.254",
  "0.0.0.0",
  "10.0.0.1",
  "100.64.0.1",
  "100.100.100.200",
  "169.254.169.254",
  "172.16.0.1",
  "192.0.0.192",
  "192.168.0.1",
  "168.63.129.16",
  "198.18.0.1",
  "203.0.113.7",
  "224.0.0.1",
  "240.0.0.1",
  "255.255.255.255",
];

const DENIED_V6 = [
  "::",
  "::1",
  "0:0:0:0:0:0:0:1",
  "0000:0000:0000:0000:0000:0000:0000:0001",
  "fe80::1",
  "febf::1",
  "fec0::1",
  "fc00::1",
  "fd00:ec2::254",
  "fdff::1",
  "ff02::1",
  "ff05::2",
  "100::1",
  "100:0:0:1::1",
  "2001::1",
  "2001:db8::1",
  "2001:10::1",
  "2001:20::1",
  "3fff::1",
  "4000::1",
  "5f00::1",
  "64:ff9b:1::7f00:1",
  "2002:7f00:1::1",
  "2002:a9fe:a9fe::1",
  "2001:0:4136:e378:8000:63bf:3fff:fdd2",
];

const octets = (address: string) =>
  address.split(".").map(Number) as [number, number, number, number];
const hex = (byte: number) => byte.toString(16).padStart(2, "0");
const circled = (text: string) =>
  text.replace(/[1-9]/g, (digit) => String.fromCodePoint(0x2460 + Number(digit) - 1));
const fullWidth = (text: string) =>
  text.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)));

function spellingsV4(address: string): string[] {
  const [a, b, c, d] = octets(address);
  const whole = ((a << 24) | (b << 16) | (c << 8) | d) >>> 0;
  const words = `${hex(a)}${hex(b)}:${hex(c)}${hex(d)}`;
  return [
    address,
    `${address}.`,
    String(whole),
    `0x${whole.toString(16)}`,
    `0${whole.toString(8)}`,
    [a, b, c, d].map((byte) => `0x${hex(byte)}`).join("."),
    [a, b, c, d].map((byte) => `0${byte.toString(8)}`).join("."),
    `${a}.${(b << 16) | (c << 8) | d}`,
    `${a}.${b}.${(c << 8) | d}`,
    `0x${hex(a)}.${b}.0${c.toString(8)}.${d}`,
    fullWidth(address),
    circled(address),
    address.replaceAll(".", "。"),
    `[::ffff:${address}]`,
    `[::ffff:${words}]`,
    `[0:0:0:0:0:ffff:${words}]`,
    `[::${words}]`,
    `[64:ff9b::${words}]`,
    `[2002:${words}::]`,
  ];
}

/** Hosts as written in a URL. */
export const DENIED_HOSTS: readonly string[] = [
  ...new Set([
    ...DENIED_V4.flatMap(spellingsV4),
    ...DENIED_V6.map((address) => `[${address}]`),
    ...DENIED_V6.slice(0, 8).map((address) => `[${address.toUpperCase()}]`),
    "127.1",
    "127.0.1",
    "0",
    "0x7f.1",
    "0177.1",
  ]),
];

/** Names with the addresses they resolve to: some hide among several, some end with a dot. */
export const DENIED_NAMES: Readonly<Record<string, readonly string[]>> = {
  localhost: ["127.0.0.1", "::1"],
  "localhost.": ["127.0.0.1"],
  LOCALHOST: ["::1"],
  ｌｏｃａｌｈｏｓｔ: ["127.0.0.1"],
  "app.localhost": ["127.0.0.1"],
  "localhost.localdomain": ["127.0.0.1"],
  "ip6-localhost": ["::1"],
  "127.0.0.1.nip.io": ["127.0.0.1"],
  "7f000001.nip.io": ["127.0.0.1"],
  "169.254.169.254.sslip.io": ["169.254.169.254"],
  "metadata.google.internal": ["169.254.169.254"],
  metadata: ["169.254.169.254"],
  "instance-data": ["169.254.169.254"],
  "rebind.evil.example": ["10.0.0.1"],
  "both.evil.example": ["93.184.215.14", "192.168.0.1"],
  "both-other-way.evil.example": ["fd00::1", "93.184.215.14"],
  "six.evil.example": ["::ffff:127.0.0.1"],
  "nat64.evil.example": ["64:ff9b::7f00:1"],
  "zone.evil.example": ["fe80::1%eth0"],
  "cname-to-inside.evil.example": ["172.31.255.255"],
  "odd.evil.example": ["not an address"],
  "looks-public.evil.example": ["127.0.0.1"],
};

/** Every address above as a name server returns it. */
export const DENIED_ADDRESSES: readonly string[] = [
  ...DENIED_V4,
  ...DENIED_V6,
  ...DENIED_V4.map((address) => `::ffff:${address}`),
];
