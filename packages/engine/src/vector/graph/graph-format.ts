/**
 * A graph over the vectors of a field (hierarchical navigable small world, Malkov and Yashunin,
 * arXiv 1603.09320): each vector is linked to some that are near it and lie in different
 * directions; a few of them are linked on higher levels too. Payload: sections
 *
 *   0 head, 16 bytes: i32 count (vectors) | i32 links (most of a vector on a higher level; twice as
 *              many on level 0) | i32 levels above 0 | zero
 *   1 near     i32[count x 2 links]: slots that each vector is linked to on level 0, then -1
 *   2 upper    i32[n1]: slots of the vectors on higher levels, those on the highest level first,
 *              rising within a level; the first one is where a search begins, so there is one
 *   3 sizes    i32[levels]: how many of `upper` are on level 1 (n1), on level 2, …
 *   4 far      i32: of level 1, then level 2, …: places in `upper` that each of the level's vectors
 *              is linked to, `links` a vector, then -1
 *   5 twins i32[count]: the next vector that is the same as that of each slot, -1 behind the last;
 *              the first one alone is linked. Empty where all differ
 */
import type { Region } from '../../storage/directory.ts';
import { corrupt } from '../../storage/frame.ts';
import { openSections, packSections } from '../../storage/sections.ts';

const SECTIONS = 6;

/** A graph as it is stored. */
export interface Graph {
  readonly count: number;
  readonly links: number;
  readonly near: Int32Array;
  readonly upper: Int32Array;
  readonly sizes: Int32Array;
  readonly far: Int32Array;
  readonly twins: Int32Array;
}

/** The payload's parts of a graph. */
export function packGraph(graph: Graph): Uint8Array[] {
  const { count, links, near, upper, sizes, far, twins } = graph;
  const head = Int32Array.of(count, links, sizes.length, 0);
  return packSections([head, near, upper, sizes, far, twins]);
}

/** Opens a payload; `path` is for messages. Throws corrupt_index. */
export function openGraph(payload: Region, path: string): Graph {
  const sections = openSections(payload, SECTIONS, path);
  const head = sections.i32(0);
  if (head.length < 4) throw corrupt(path, 'its head is too short');
  const [count, links, levels] = head;
  const [near, upper, sizes, far, twins] = [1, 2, 3, 4, 5].map((i) => sections.i32(i));
  const places = sizes.reduce((sum, size) => sum + size, 0);
  if (
    count < 0 ||
    links < 1 ||
    (count > 0 && levels < 1) ||
    (twins.length !== 0 && twins.length !== count) ||
    near.length !== count * 2 * links ||
    sizes.length !== levels ||
    upper.length !== (sizes[0] ?? 0) ||
    far.length !== places * links
  ) {
    throw corrupt(path, 'its sections do not fit its head');
  }
  return { count, links, near, upper, sizes, far, twins };
}

/** Where the links of each level above 0 begin in `far`. */
export function farStarts({ sizes, links }: Pick<Graph, 'sizes' | 'links'>): Int32Array {
  const starts = new Int32Array(sizes.length + 1);
  sizes.forEach((size, i) => {
    starts[i + 1] = starts[i] + size * links;
  });
  return starts;
}

/** Reads every link; `report` is told what cannot be. */
export function checkGraph(graph: Graph, report: (problem: string) => void): void {
  const { count, links, near, upper, sizes, far } = graph;
  checkLinks(near, 2 * links, count, (at) => report(`links of vector ${at}`));
  checkTwins(graph, (at) => report(`twins of vector ${at}`));
  const starts = farStarts(graph);
  sizes.forEach((size, i) => {
    const most = i === 0 ? upper.length : sizes[i - 1];
    if (size < 1 || size > most) report(`${size} vectors on level ${i + 1}`);
    checkLinks(far.subarray(starts[i], starts[i + 1]), links, size, (at) =>
      report(`links of vector ${at} of level ${i + 1}`),
    );
    const from = sizes[i + 1] ?? 0;
    for (let at = from; at < size; at++) {
      const low = at === from ? -1 : upper[at - 1];
      if (upper[at] <= low || upper[at] >= count) report(`vector ${at} of level ${i + 1}`);
    }
  });
}

/** The linked vectors and their twins are all there are, each once. */
function checkTwins({ count, links, near, twins }: Graph, wrong: (at: number) => void): void {
  const twin = new Uint8Array(count);
  for (let slot = 0; slot < twins.length; slot++) {
    const next = twins[slot];
    if (next === -1) continue;
    if (next < 0 || next >= count || twin[next] === 1) wrong(slot);
    else twin[next] = 1;
  }
  for (const to of near) if (to >= 0 && twin[to] === 1) wrong(to);
  let found = 0;
  for (let slot = 0; slot < count; slot++) {
    if (twin[slot] === 1) {
      if (near[slot * 2 * links] !== -1) wrong(slot);
      continue;
    }
    let next = slot;
    for (; next >= 0 && next < count && found <= count; next = twins[next] ?? -1) found++;
  }
  if (found !== count) wrong(count);
}

/** Each of `count` lists of at most `most` links: below count, none twice, none to itself. */
function checkLinks(
  links: Int32Array,
  most: number,
  count: number,
  wrong: (at: number) => void,
): void {
  for (let at = 0; at < count; at++) {
    const list = links.subarray(at * most, (at + 1) * most);
    const end = list.indexOf(-1);
    const size = end < 0 ? most : end;
    const named = new Set(list.subarray(0, size));
    const fits = [...named].every((to) => to >= 0 && to < count && to !== at);
    if (!fits || named.size !== size || list.subarray(size).some((to) => to !== -1)) wrong(at);
  }
}
