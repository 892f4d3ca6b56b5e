/**
 * Phrases: documents that hold all terms, then their positions. A phrase scores as one term whose
 * frequency is the number of its occurrences and whose weight is the sum of the terms' weights; its
 * frequency is at most any term's, which bounds it.
 */
import { NO_DEADLINE } from '../../base/time/deadline.ts';
import { blameIndex } from '../../postings/damage.ts';
import type { TermInfo } from '../../postings/term-info.ts';
import { inverseFrequency } from '../field-statistics.ts';
import { lookUpByKernel } from '../kernel/look-up.ts';
import { gatherStatistics, lookUpTerms, type SegmentTerms, type TermSearch } from '../request.ts';
import type { TopDocs } from '../top-docs.ts';
import { workspacesOf } from '../workspace.ts';
import { countDensePhrase, searchDensePhrase } from './dense-phrase.ts';
import { countListPhrase, searchListPhrase } from './list-phrase.ts';
import type { PhraseRun } from './phrase-run.ts';

/**
 * Offers the best documents with a phrase of several terms to `top` (null: none is wanted) and
 * returns the number of matching documents where `count` is true, else 0.
 */
export function searchPhrase(search: TermSearch, top: TopDocs | null, count: boolean): number {
  const { terms, segments, deadline = NO_DEADLINE } = search;
  const found = lookUpByKernel(search) ?? segments.map((segment) => lookUpTerms(terms, segment));
  const { field, frequencies } =
    search.statistics ?? gatherStatistics(segments, found, terms.length);
  if (frequencies.includes(0)) return 0;
  const { docs, averageLength } = field;
  let weight = 0;
  terms.forEach(({ boost }, i) => {
    weight += boost * inverseFrequency(docs, frequencies[i]);
  });
  let total = 0;
  segments.forEach((segment, s) => {
    deadline.check();
    const infos = found[s];
    if (!isWhole(infos)) return;
    const of = { segment, deadline, averageLength, weight };
    total += workspacesOf(segment.reader.arena).lend((workspace) =>
      blameIndex(() => runPhrase(openPhrase(search, infos, { ...of, workspace }), top, count)),
    );
  });
  return total;
}

const isWhole = (infos: SegmentTerms): infos is readonly TermInfo[] => !infos.includes(null);

/** Opens the terms in a segment and makes room for them. */
function openPhrase(
  { terms }: TermSearch,
  infos: readonly TermInfo[],
  of: Pick<PhraseRun, 'segment' | 'workspace' | 'deadline' | 'averageLength' | 'weight'>,
): PhraseRun {
  const { segment, workspace, averageLength } = of;
  const { reader, blocked, living } = segment;
  workspace.reserve(reader.docs, terms.length);
  workspace.table.use(averageLength);
  infos.forEach((info, i) => {
    workspace.terms[i].open(reader, info, terms[i].position);
  });
  const opened = workspace.terms.slice(0, terms.length).sort((a, b) => a.df - b.df);
  let lists = 0;
  while (lists < opened.length && opened[lists].dense === null) lists++;
  return {
    ...of,
    terms: opened,
    lists,
    blockedAt: workspace.addressOf(blocked, reader.docs),
    filtered: blocked !== null && living === null,
  };
}

function runPhrase(run: PhraseRun, top: TopDocs | null, count: boolean): number {
  const { segment, lists } = run;
  if (top !== null) {
    top.enter(segment.number, segment.ranks);
    if (lists === 0) searchDensePhrase(run, top);
    else searchListPhrase(run, top);
  }
  if (!count) return 0;
  return lists === 0 ? countDensePhrase(run) : countListPhrase(run);
}
