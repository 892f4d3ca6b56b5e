/**
 * Pages by a column: zones of 1,024 documents by rising place of what they may hold, until the last
 * kept document stands before all that is left. Matches are looked up zone by zone, the total is
 * counted apart.
 */
import { collectFirst } from '../collect/collect-segment.ts';
import type { SortKey } from '../collect/order.ts';
import type { RankedDocs } from '../collect/ranked-docs.ts';
import type { SegmentSortKey } from '../collect/segment-order.ts';
import { matchesOf, mostMatches, type SegmentNode } from '../query/weight/matches.ts';
import { termShape } from '../query/weight/term-shape.ts';
import { andNotZone, andZone, type WriteZone, zoneMatches } from '../query/weight/zone-matches.ts';
import type { SegmentReader } from '../segment/segment-reader.ts';
import type { ExecutionPlan } from './execute.ts';
import type { Narrowing } from './narrowing.ts';
import type { SegmentScratch } from './scratch.ts';

/** Matches a zone below which all of them are looked up at once. */
const FEW_A_ZONE = 4;
const ZONE_DOCS = 1024;
/** Where more zones than these are asked for, the matches of words are looked up all at once. */
const ZONES_APART = 6;

/** True when a column alone orders a plan's page, and its total is told by the kernels or not asked. */
export function stopsEarly({ clause, order, limit, collapse, total }: ExecutionPlan): boolean {
  if (limit === 0 || collapse || order[0]?.kind !== 'field') return false;
  if (order.some(({ kind }) => kind === 'score')) return false;
  return total === false || termShape(clause) !== null;
}

/** What of a segment is to be collected. */
export interface ZoneSegment {
  readonly reader: SegmentReader;
  readonly scratch: SegmentScratch;
  readonly node: SegmentNode;
  readonly narrowing: Narrowing;
  readonly order: readonly SortKey[];
  readonly keys: readonly SegmentSortKey[];
}

/** Offers a segment's matches that may be among the first. */
export function collectZones(segment: ZoneSegment, top: RankedDocs): void {
  const { reader, scratch, order, keys } = segment;
  const held: Int32Array[] = [];
  const { matches, writeZone } = zonesOf(segment, held);
  const score = { score: null, constant: 0, scores: scratch.scores };
  const found = { matches, count: reader.docs, segmentKeys: reader.keys, order, keys };
  collectFirst({ ...found, ...score, ...(writeZone === null ? {} : { writeZone }) }, top);
  for (const bits of [matches, ...held]) scratch.bitmaps.give(bits);
}

/** The bitmap of the matches, and what writes a zone of it; null: it is whole. */
function zonesOf(
  segment: ZoneSegment,
  held: Int32Array[],
): { readonly matches: Int32Array; readonly writeZone: ((zone: number) => void) | null } {
  const { reader, scratch, node, narrowing } = segment;
  const zones = Math.ceil(reader.docs / ZONE_DOCS);
  const most = mostMatches(node, reader.docs);
  if (most < FEW_A_ZONE * zones) return { matches: wholeMatches(segment), writeZone: null };
  const filters = narrowing.bitmaps(reader, scratch, held);
  const write = zoneMatches(node, scratch, held);
  const matches = scratch.bitmaps.takeDirty();
  let written = 0;
  const writeZone = (zone: number) => {
    if (most === reader.docs || written < ZONES_APART) {
      writeLiving(write, zone, matches, filters, reader);
    } else if (written === ZONES_APART) {
      held.push(wholeMatches(segment));
      matches.set(held.at(-1)!);
    }
    written++;
  };
  return { matches, writeZone };
}

function wholeMatches({ reader, scratch, node, narrowing }: ZoneSegment): Int32Array {
  const matches = matchesOf(node, scratch);
  narrowing.apply(matches, reader, scratch);
  if (reader.deleted !== null) scratch.bitmaps.andNot(matches, reader.deleted);
  return matches;
}

function writeLiving(
  write: WriteZone,
  zone: number,
  matches: Int32Array,
  filters: readonly Int32Array[],
  { deleted }: SegmentReader,
): void {
  write(zone, matches);
  for (const bits of filters) andZone(matches, bits, zone);
  if (deleted !== null) andNotZone(matches, deleted, zone);
}
