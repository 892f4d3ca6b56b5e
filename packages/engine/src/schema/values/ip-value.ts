/**
 * IP addresses as 16 bytes in network order; an IPv4 address is its IPv4-mapped IPv6 form (RFC
 * 4291, 2.5.5.2), so byte order sorts IPv4 addresses among themselves and inside ::ffff:0:0/96.
 */
const encoder = new TextEncoder();

/**
 * The address that `text` names, or null. IPv4 dotted decimal without leading zeros; IPv6 as RFC
 * 4291 2.2; no zones.
 */
export function parseIp(text: string): Uint8Array | null {
  if (text.length > 45) return null;
  const bytes = encoder.encode(text);
  const out = new Uint8Array(16);
  return readIp(bytes, 0, bytes.length, out, 0) ? out : null;
}

/**
 * Parses the ASCII address bytes[from .. to) into out[at .. at + 16); false (out undefined) when it
 * is none.
 */
export function readIp(
  bytes: Uint8Array,
  from: number,
  to: number,
  out: Uint8Array,
  at: number,
): boolean {
  for (let i = from; i < to && i < from + 5; i++) {
    if (bytes[i] === 0x3a) return readIpv6(bytes, from, to, out, at);
  }
  out.fill(0, at, at + 10);
  out[at + 10] = 0xff;
  out[at + 11] = 0xff;
  return readIpv4(bytes, from, to, out, at + 12);
}

function readIpv4(
  bytes: Uint8Array,
  from: number,
  to: number,
  out: Uint8Array,
  at: number,
): boolean {
  let part = 0;
  let value = 0;
  let digits = 0;
  for (let i = from; i <= to; i++) {
    const c = i === to ? 0x2e : bytes[i];
    if (c === 0x2e) {
      if (digits === 0 || part === 4) return false;
      out[at + part++] = value;
      value = 0;
      digits = 0;
    } else {
      if (c < 0x30 || c > 0x39 || (digits > 0 && value === 0)) return false;
      value = value * 10 + c - 0x30;
      digits++;
      if (value > 255) return false;
    }
  }
  return part === 4;
}

function readIpv6(
  bytes: Uint8Array,
  from: number,
  to: number,
  out: Uint8Array,
  at: number,
): boolean {
  const groups = new Uint8Array(16);
  let filled = 0;
  let gap = -1;
  let i = from;
  if (bytes[i] === 0x3a) {
    if (bytes[i + 1] !== 0x3a || i + 1 >= to) return false;
    gap = 0;
    i += 2;
  }
  while (i < to) {
    let end = i;
    let dots = false;
    while (end < to && bytes[end] !== 0x3a) dots = bytes[end++] === 0x2e || dots;
    if (dots) {
      if (end !== to || filled > 12 || !readIpv4(bytes, i, to, groups, filled)) return false;
      filled += 4;
      break;
    }
    const group = hexGroup(bytes, i, end);
    if (group < 0 || filled > 14) return false;
    groups[filled++] = group >> 8;
    groups[filled++] = group & 255;
    if (end === to) break;
    i = end + 1;
    if (i === to) return false;
    if (bytes[i] === 0x3a) {
      if (gap >= 0) return false;
      gap = filled;
      i++;
    }
  }
  if (gap < 0 ? filled !== 16 : filled > 14) return false;
  const head = gap < 0 ? 16 : gap;
  out.fill(0, at, at + 16);
  out.set(groups.subarray(0, head), at);
  out.set(groups.subarray(head, filled), at + 16 - (filled - head));
  return true;
}

function hexGroup(bytes: Uint8Array, from: number, to: number): number {
  if (to === from || to - from > 4) return -1;
  let value = 0;
  for (let i = from; i < to; i++) {
    const c = bytes[i] | 0x20;
    if (bytes[i] >= 0x30 && bytes[i] <= 0x39) value = value * 16 + bytes[i] - 0x30;
    else if (c >= 0x61 && c <= 0x66) value = value * 16 + c - 0x57;
    else return -1;
  }
  return value;
}

/** First and last address of `address/prefix` (host bits are cleared), or null. */
export function parseCidr(text: string): { lower: Uint8Array; upper: Uint8Array } | null {
  const slash = text.lastIndexOf('/');
  const address = slash < 0 ? null : parseIp(text.slice(0, slash));
  const digits = text.slice(slash + 1);
  if (address === null || !/^(0|[1-9]\d{0,2})$/.test(digits)) return null;
  const v4 = !text.slice(0, slash).includes(':');
  const bits = Number(digits) + (v4 ? 96 : 0);
  if (bits > 128) return null;
  const lower = address.slice();
  const upper = address.slice();
  for (let i = 0; i < 16; i++) {
    const kept = Math.min(8, Math.max(0, bits - i * 8));
    const mask = (0xff00 >> kept) & 0xff;
    lower[i] &= mask;
    upper[i] |= ~mask & 0xff;
  }
  return { lower, upper };
}

/** Canonical text of 16 bytes: dotted IPv4 for mapped addresses, else RFC 5952. */
export function formatIp(bytes: Uint8Array): string {
  const groups: number[] = [];
  for (let i = 0; i < 16; i += 2) groups.push((bytes[i] << 8) | bytes[i + 1]);
  if (groups[5] === 0xffff && groups.slice(0, 5).every((g) => g === 0)) {
    return Array.from(bytes.subarray(12, 16)).join('.');
  }
  const [start, length] = longestZeros(groups);
  const hex = (part: number[]) => part.map((g) => g.toString(16)).join(':');
  if (length < 2) return hex(groups);
  return `${hex(groups.slice(0, start))}::${hex(groups.slice(start + length))}`;
}

function longestZeros(groups: readonly number[]): [number, number] {
  let best: [number, number] = [0, 0];
  for (let i = 0; i < groups.length; i++) {
    let end = i;
    while (end < groups.length && groups[end] === 0) end++;
    if (end - i > best[1]) best = [i, end - i];
    i = Math.max(i, end - 1);
  }
  return best;
}
