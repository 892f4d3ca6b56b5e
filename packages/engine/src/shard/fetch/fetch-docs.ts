import type { Locator } from '@lakehouse-search/lake';
import type { Deadline } from '../../base/deadline.ts';
import type { SegmentReader } from '../../segment/segment-reader.ts';
import type { BoundRequest } from '../request/bind-request.ts';
import type { DocAddress, FetchedDoc } from '../shard.ts';
import { documentFields, documentValues } from './document.ts';
import { createHighlighter, type Highlighter } from './highlight.ts';

/**
 * Cached fields, highlights and row locators of documents, in order. `files`: the paths of data
 * files by number; null: no locator is requested. Throws limit_exceeded once `deadline` has passed.
 */
export function fetchDocs(
  segments: readonly SegmentReader[],
  files: readonly string[] | null,
  bound: BoundRequest,
  docs: readonly DocAddress[],
  deadline: Deadline,
): readonly FetchedDoc[] {
  const highlighter = highlighterOf(bound, deadline);
  return docs.map(({ segment, doc }): FetchedDoc => {
    const reader = segments[segment];
    const values = documentValues(reader, doc);
    const marks = highlighter?.highlight((field) => values.texts(field));
    return {
      ...(bound.fields.length > 0
        ? { fields: documentFields(reader, doc, bound.fields, values) }
        : {}),
      ...(highlighter === null ? {} : { highlight: marks ?? {} }),
      locator: files === null ? null : locatorOf(reader, doc, files),
    };
  });
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
  files: readonly string[],
): Locator | null {
  const file = files[locators.file(doc)];
  return file === undefined ? null : { file, position: locators.position(doc) };
}
