import type { Locator } from '@lakehouse-search/lake';
import type { Deadline } from '../../base/time/deadline.ts';
import type { DataFiles } from '../../index/commits/data-files.ts';
import type { SegmentReader } from '../../segment/segment-reader.ts';
import { ColdMiss, collectDemands, mapCold } from '../../storage/cold-file.ts';
import type { BoundRequest } from '../request/bind-request.ts';
import type { DocAddress, FetchedDoc } from '../shard.ts';
import { columnValues, documentFields, documentValues } from './document.ts';
import { createHighlighter, type Highlighter } from './highlight.ts';
import { matchedValues } from './matched-values.ts';

/**
 * Cached fields, highlights and row locators of documents, in order. `files`: null if no locator is
 * requested. Throws limit_exceeded once `deadline` has passed.
 */
export function fetchDocs(
  segments: readonly SegmentReader[],
  files: DataFiles | null,
  bound: BoundRequest,
  docs: readonly DocAddress[],
  deadline: Deadline,
): readonly FetchedDoc[] {
  const highlighter = highlighterOf(bound, deadline);
  const { maxFragments = 0 } = bound.checked.highlight ?? {};
  return mapCold(docs, ({ segment, doc }): FetchedDoc => {
    const reader = segments[segment];
    const values = documentValues(reader, doc);
    const marks = highlighter?.highlight((field) => values.texts(field));
    const ranges = bound.highlightRanges;
    const figures = ranges.length > 0 && matchedValues(ranges, values, maxFragments);
    return {
      ...(bound.fields.length > 0
        ? { fields: documentFields(reader, doc, bound.fields, values) }
        : {}),
      ...(highlighter === null ? {} : { highlight: { ...marks, ...figures } }),
      locator: files === null ? null : locatorOf(reader, doc, files),
    };
  });
}

/** Demands what `fetchDocs` reads of cold segments. */
export function demandDocs(
  segments: readonly SegmentReader[],
  { fields }: BoundRequest,
  docs: readonly DocAddress[],
): void {
  for (const { segment, doc } of docs) {
    const reader = segments[segment];
    if (!reader.isCold) continue;
    collectDemands(() => void reader.stored(doc));
    for (const { plan } of fields) {
      if (plan.column !== null) collectDemands(() => void columnValues(reader, plan, doc));
    }
  }
}

/** Runs `read`; if bytes are missing, `demand` demands what will be needed besides. */
export function demandingMore<T>(read: () => T, demand: () => void): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof ColdMiss) demand();
    throw error;
  }
}

/** Reads the keys of hits. If some are missing, `demandPage` demands what the page shows of them. */
export function readKeys(
  hits: readonly { readonly key: Uint8Array }[],
  demandPage: () => void,
): void {
  demandingMore(() => mapCold(hits, ({ key }) => key), demandPage);
}

function highlighterOf(bound: BoundRequest, deadline: Deadline): Highlighter | null {
  const { highlight: settings } = bound.checked;
  if (bound.highlight === null || settings === null) return null;
  return createHighlighter(bound.clause, bound.highlight, settings, deadline);
}

/** Where the row of a document was in the table when it was indexed. */
export function locatorOf(
  { locators }: SegmentReader,
  doc: number,
  files: DataFiles,
): Locator | null {
  const file = files.at(locators.file(doc)).path;
  return file === '' ? null : { file, position: locators.position(doc) };
}
