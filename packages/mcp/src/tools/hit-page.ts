import type { JsonObject } from '@lakehouse-search/contract';
import { fitEach, fitTogether } from '../base/fit-values.ts';
import { tokensOfJson } from '../base/tokens.ts';

/** A hit as a model sees it. */
export interface HitView {
  readonly key: string;
  readonly score: number;
  readonly fields?: JsonObject;
  readonly highlight?: JsonObject;
  readonly row?: JsonObject;
  readonly citation?: string;
  /** Names of values that were shortened. */
  readonly cut?: readonly string[];
  /** There was no room for the row. */
  readonly row_omitted?: true;
  /** The table no longer has the row. */
  readonly deleted?: true;
}

/** The hits that fit, and whether hits or parts of requested rows were left out. */
export interface HitPage {
  readonly hits: readonly HitView[];
  readonly isCut: boolean;
}

/** Tokens of one value of a preview. */
const PREVIEW_TOKENS = 60;
/** Tokens of the flag that a row was left out. */
const FLAG_TOKENS = 6;
/** A preview has at least this share of the budget, so that one hit always fits. */
const LEAST_TOKENS = 60;

/**
 * As many hits as a budget of tokens has room for: previews first, then rows from the best hit on.
 * The first hit is always there.
 */
export function pageOfHits(views: readonly HitView[], budget: number, withRows: boolean): HitPage {
  const previews: HitView[] = [];
  let left = budget;
  for (const view of views) {
    const preview = previewOf(view, PREVIEW_TOKENS);
    const small = previews.length === 0 ? shrunk(view, preview, budget) : preview;
    const tokens = tokensOfView(small) + (withRows ? FLAG_TOKENS : 0);
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
function previewOf({ fields = {}, highlight = {}, row: _, ...rest }: HitView, each: number) {
  const fitted = fitEach(fields, each);
  const marks = fitEach(highlight, each);
  return {
    ...rest,
    fields: fitted.values,
    ...(Object.keys(highlight).length === 0 ? {} : { highlight: marks.values }),
    ...(fitted.cut.length === 0 ? {} : { cut: fitted.cut }),
  };
}

/** The first hit under a small budget: its fields fit together, or are left out. */
function shrunk(view: HitView, preview: HitView, budget: number): HitView {
  if (tokensOfView(preview) <= budget) return preview;
  const { fields = {}, highlight: _, row: __, ...rest } = view;
  const fitted = fitTogether(fields, Math.max(LEAST_TOKENS, budget - tokensOfView(rest)));
  return fitted === undefined
    ? { ...rest, cut: Object.keys(fields) }
    : { ...rest, fields: fitted.values, cut: fitted.cut };
}

function addRows(previews: readonly HitView[], views: readonly HitView[], room: number) {
  let left = room;
  return previews.map((preview, i): HitView => {
    const { row } = views[i];
    if (row === undefined) return preview;
    const { fields: _, highlight: __, cut: ___, ...frame } = preview;
    // the row takes the place of the preview
    const most = left + tokensOfView(preview) - tokensOfView(frame);
    const fitted = fitTogether(row, Math.min(most, Math.max(room / previews.length, most / 2)));
    if (fitted === undefined) return { ...preview, row_omitted: true };
    const cut = fitted.cut.length === 0 ? {} : { cut: fitted.cut };
    const whole = { ...frame, row: fitted.values, ...cut };
    const more = tokensOfView(whole) - tokensOfView(preview);
    if (more > left) return { ...preview, row_omitted: true };
    left -= more;
    return whole;
  });
}

const tokensOfView = (view: HitView): number => tokensOfJson({ ...view } as JsonObject);
