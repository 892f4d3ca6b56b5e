import type { PageTexts, PageValues } from './encodings/page-values.ts';
import type { LeafPage } from './page.ts';

/** The pages of a chunk as one, for rows that cross page boundaries. */
export function joinPages(parts: readonly LeafPage[], maxDefinition: number): LeafPage {
  const entries = parts.reduce((sum, part) => sum + part.entries, 0);
  const repetition = new Uint8Array(entries);
  const definition = new Uint8Array(entries);
  const valueIndex = new Int32Array(entries);
  const firstValues: number[] = [];
  let at = 0;
  let values = 0;
  for (const part of parts) {
    firstValues.push(values);
    if (part.repetition !== null) repetition.set(part.repetition, at);
    if (part.definition !== null) definition.set(part.definition, at);
    else definition.fill(maxDefinition, at, at + part.entries);
    for (let i = 0; i < part.entries; i++) {
      const index = part.valueIndex === null ? i : part.valueIndex[i];
      valueIndex[at + i] = index < 0 ? -1 : values + index;
    }
    at += part.entries;
    values += part.values.length;
  }
  const bytes = parts.reduce((sum, part) => sum + part.bytes, 0) + entries * 6;
  const joined = joinValues(
    parts.map((part) => part.values),
    firstValues,
    values,
    bytes,
  );
  const hasDefinition = parts.some((part) => part.definition !== null);
  return {
    entries,
    repetition,
    definition: hasDefinition ? definition : null,
    valueIndex,
    values: joined,
    bytes,
  };
}

function joinValues(
  parts: readonly PageValues[],
  firstValues: readonly number[],
  length: number,
  bytes: number,
): PageValues {
  const partOf = (index: number): number => {
    let part = 0;
    let high = firstValues.length - 1;
    while (part < high) {
      const middle = (part + high + 1) >>> 1;
      if (firstValues[middle] <= index) part = middle;
      else high = middle - 1;
    }
    return part;
  };
  const texts = parts.map((part) => part.texts).filter((part) => part !== undefined);
  return {
    length,
    bytes,
    get(index) {
      const part = partOf(index);
      return parts[part].get(index - firstValues[part]);
    },
    ...(texts.length < parts.length ? {} : { texts: joinTexts(texts, firstValues, partOf) }),
  };
}

function joinTexts(
  parts: readonly PageTexts[],
  firstValues: readonly number[],
  partOf: (index: number) => number,
): PageTexts {
  return {
    text(index) {
      const part = partOf(index);
      return parts[part].text(index - firstValues[part]);
    },
    size(index) {
      const part = partOf(index);
      return parts[part].size(index - firstValues[part]);
    },
  };
}
