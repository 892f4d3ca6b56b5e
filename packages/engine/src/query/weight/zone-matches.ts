/**
 * The matches of a node zone by zone, for readers that stop early: leaves that can tell a zone of
 * 1,024 documents by itself do only that, the others are looked up whole when first asked.
 */
import type { SegmentLeaf } from './leaf.ts';
import { type MatchScope, matchesOf, type SegmentBool, type SegmentNode } from './matches.ts';

const ZONE_WORDS = 32;

/** Writes the words of a zone of a bitmap of the whole segment: the documents that match. */
export type WriteZone = (zone: number, bits: Int32Array) => void;

/**
 * The matches of a node by zone, deleted documents included. Bitmaps that it takes from the pool
 * are added to `held`: the caller gives them back when the zones have been read.
 */
export function zoneMatches(node: SegmentNode, scope: MatchScope, held: Int32Array[]): WriteZone {
  if (node.kind === 'leaf') return leafZones(node, node.leaf, scope, held);
  if (node.kind === 'none') return (zone, bits) => clearZone(bits, zone);
  if (node.minimum > 1) return wholeZones(node, scope, held);
  return boolZones(node, scope, held);
}

/** First and last word of a zone in a bitmap. */
const endOf = (zone: number, bits: Int32Array): number =>
  Math.min((zone + 1) * ZONE_WORDS, bits.length);

function clearZone(bits: Int32Array, zone: number): void {
  bits.fill(0, zone * ZONE_WORDS, endOf(zone, bits));
}

/** into &= bits, for one zone. */
export function andZone(into: Int32Array, bits: Int32Array, zone: number): void {
  const end = endOf(zone, into);
  for (let i = zone * ZONE_WORDS; i < end; i++) into[i]! &= bits[i]!;
}

/** into &= ~bits, for one zone. */
export function andNotZone(into: Int32Array, bits: Int32Array, zone: number): void {
  const end = endOf(zone, into);
  for (let i = zone * ZONE_WORDS; i < end; i++) into[i]! &= ~bits[i]!;
}

function orZone(into: Int32Array, bits: Int32Array, zone: number): void {
  const end = endOf(zone, into);
  for (let i = zone * ZONE_WORDS; i < end; i++) into[i]! |= bits[i]!;
}

function leafZones(
  node: SegmentNode,
  leaf: SegmentLeaf,
  scope: MatchScope,
  held: Int32Array[],
): WriteZone {
  const { fillZone } = leaf;
  if (fillZone === undefined) return wholeZones(node, scope, held);
  return (zone, bits) => {
    clearZone(bits, zone);
    fillZone(zone, bits);
  };
}

function wholeZones(node: SegmentNode, scope: MatchScope, held: Int32Array[]): WriteZone {
  let whole: Int32Array | null = null;
  return (zone, bits) => {
    if (whole === null) {
      whole = matchesOf(node, scope);
      held.push(whole);
    }
    const end = endOf(zone, bits);
    for (let i = zone * ZONE_WORDS; i < end; i++) bits[i] = whole[i]!;
  };
}

function boolZones(node: SegmentBool, scope: MatchScope, held: Int32Array[]): WriteZone {
  const zones = (parts: readonly SegmentNode[]) =>
    parts.map((part) => zoneMatches(part, scope, held));
  const all = zones([...node.must, ...node.filter]);
  const any = node.minimum > 0 ? zones(node.should) : null;
  const none = zones(node.mustNot);
  const room = scope.bitmaps.takeDirty();
  const union = any === null ? room : scope.bitmaps.takeDirty();
  held.push(room);
  if (union !== room) held.push(union);
  return (zone, bits) => {
    if (any === null) fillZone(bits, zone, scope.docs);
    else {
      writeUnion(any, zone, bits, union);
    }
    for (const part of all) {
      part(zone, room);
      andZone(bits, room, zone);
    }
    for (const part of none) {
      part(zone, room);
      andNotZone(bits, room, zone);
    }
  };
}

function writeUnion(
  parts: readonly WriteZone[],
  zone: number,
  bits: Int32Array,
  room: Int32Array,
): void {
  clearZone(bits, zone);
  for (const part of parts) {
    part(zone, room);
    orZone(bits, room, zone);
  }
}

/** Sets the bits of all documents of a zone. */
export function fillZone(bits: Int32Array, zone: number, docs: number): void {
  const end = endOf(zone, bits);
  for (let i = zone * ZONE_WORDS; i < end; i++) {
    const left = docs - 32 * i;
    bits[i] = left >= 32 ? -1 : left <= 0 ? 0 : (1 << left) - 1;
  }
}
