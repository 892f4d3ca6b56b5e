import type { JsonObject } from '@lakehouse-search/contract';
import { fitEach, fitTogether } from '../../base/fit-values.ts';
import { tokensOfJson } from '../../base/tokens.ts';
import { hitTable } from './hit-table.ts';
import { type HitView, viewJson } from './hit-view.ts';

/** The hits that fit, and whether hits or parts of requested rows were left out. */
export interface HitPage {
  readonly hits: readonly HitView[];
  readonly isCut: boolean;
}

/** Tokens of one value of a preview, unless named fields have room for more, or for all values. */
const PREVIEW_TOKENS = 40;
/** Tokens of a hit's key, hash and score. */
const FRAME_TOKENS = 30;
/** Tokens of the flag that a row was left out. */
const FLAG_TOKENS = 6;
/** A preview has at least this share of the budget, so that one hit always fits. */
const LEAST_TOKENS = 60;

/** What hits of a page look like. */
export interface PageForm {
  readonly withRows?: boolean;
  /** Names of values are said once. */
  readonly isTable?: boolean;
  readonly namedFields?: number | undefined;
}

/**
 * As many hits as a budget of tokens has room for: previews first, then rows from the best hit on.
 * The first hit is always there.
 */
export function pageOfHits(
  views: readonly HitView[],
  budget: number,
  { withRows = false, isTable = false, namedFields = Number.POSITIVE_INFINITY }: PageForm = {},
): HitPage {
  const sizeOf = (view: HitView) =>
    isTable ? tokensOfJson(hitTable([view]).rows) : tokensOfView(view);
  const areWhole = () =>
    views.reduce((sum, view) => sum + sizeOf(previewOf(view, budget)), 0) <= budget;
  const isNamed = Number.isFinite(namedFields) && !withRows;
  const share = Math.floor(budget / Math.max(1, views.length) / Math.max(1, namedFields));
  const each = isNamed && areWhole() ? budget : Math.max(PREVIEW_TOKENS, share - FRAME_TOKENS);
  const previews: HitView[] = [];
  let left = budget;
  for (const view of views) {
    const preview = previewOf(view, each);
    const small = previews.length === 0 ? shrunk(view, preview, budget) : preview;
    const size = sizeOf(small);
    const tokens = size + (withRows ? FLAG_TOKENS : 0);
    if (tokens > left && previews.length > 0) break;
    previews.push(small);
    left -= tokens;
  }
  const hits = withRows ? addRows(previews, views, left) : previews;
  const isRowCut = ({ cut, row_omitted }: HitView) =>
    row_omitted === true || (withRows && cut !== undefined);
  const isCut = hits.length < views.length || hits.some(isRowCut);
  return { hits, isCut };
}

/** A hit without its row, its values shortened. */
function previewOf({ fields, highlight, row: _, ...rest }: HitView, each: number): HitView {
  const fitted = fitEach(fields ?? {}, each, highlight);
  const marks = fitEach(unshown(highlight ?? {}, fitted.values), each).values;
  return {
    ...rest,
    ...(fields === undefined ? {} : { fields: fitted.values }),
    ...(Object.keys(marks).length === 0 ? {} : { highlight: marks }),
    ...(fitted.cut.length === 0 ? {} : { cut: fitted.cut }),
  };
}

/** The fragments that no shown value has. */
function unshown(highlight: JsonObject, values: JsonObject): JsonObject {
  const whole = Object.values(values).flat();
  const marks = Object.entries(highlight).filter(([name, fragment]) => {
    const text = String(fragment).replace(/[«»]/g, '');
    const value = values[name];
    return !whole.includes(text) && !(typeof value === 'string' && value.includes(text));
  });
  return Object.fromEntries(marks);
}

/** The first hit under a small budget: its fields fit together, or are left out. */
function shrunk(view: HitView, preview: HitView, budget: number): HitView {
  if (tokensOfView(preview) <= budget) return preview;
  const { fields = {}, highlight, row: _, ...rest } = view;
  const fitted = fitTogether(
    fields,
    Math.max(LEAST_TOKENS, budget - tokensOfView(rest)),
    highlight,
  );
  return fitted === undefined
    ? { ...rest, cut: Object.keys(fields) }
    : { ...rest, fields: fitted.values, cut: fitted.cut };
}

function addRows(previews: readonly HitView[], views: readonly HitView[], room: number) {
  let left = room;
  return previews.map((preview, i): HitView => {
    const { row } = views[i];
    if (row === undefined) return preview;
    const { fields: _, highlight = {}, cut: __, ...frame } = preview;
    // the row takes the place of the preview
    const most = left + tokensOfView(preview) - tokensOfView(frame);
    const each = Math.min(most, Math.max(room / previews.length, most / 2));
    const fitted = fitTogether(row, each, highlight);
    if (fitted === undefined) return { ...preview, row_omitted: true };
    const cut = fitted.cut.length === 0 ? {} : { cut: fitted.cut };
    // a fragment is where a shortened value matched
    const ofCut = Object.entries(highlight).filter(([name]) => fitted.cut.includes(name));
    const marks = unshown(Object.fromEntries(ofCut), fitted.values);
    const shown = Object.keys(marks).length === 0 ? {} : { highlight: marks };
    const whole = { ...frame, row: fitted.values, ...shown, ...cut };
    const more = tokensOfView(whole) - tokensOfView(preview);
    if (more > left) return { ...preview, row_omitted: true };
    left -= more;
    return whole;
  });
}

const tokensOfView = (view: HitView): number => tokensOfJson(viewJson(view));
