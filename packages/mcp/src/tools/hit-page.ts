import { fitEach, fitTogether } from '../base/fit-values.ts';
import { tokensOfJson } from '../base/tokens.ts';
import { type HitView, viewJson } from './hit-view.ts';

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
function previewOf({ fields, highlight, row: _, ...rest }: HitView, each: number): HitView {
  const fitted = fitEach(fields ?? {}, each);
  return {
    ...rest,
    ...(fields === undefined ? {} : { fields: fitted.values }),
    ...(highlight === undefined ? {} : { highlight: fitEach(highlight, each).values }),
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
    const { fields: _, highlight = {}, cut: __, ...frame } = preview;
    // the row takes the place of the preview
    const most = left + tokensOfView(preview) - tokensOfView(frame);
    const fitted = fitTogether(row, Math.min(most, Math.max(room / previews.length, most / 2)));
    if (fitted === undefined) return { ...preview, row_omitted: true };
    const cut = fitted.cut.length === 0 ? {} : { cut: fitted.cut };
    // a fragment is where a shortened value matched
    const marks = Object.entries(highlight).filter(([name]) => fitted.cut.includes(name));
    const shown = marks.length === 0 ? {} : { highlight: Object.fromEntries(marks) };
    const whole = { ...frame, row: fitted.values, ...shown, ...cut };
    const more = tokensOfView(whole) - tokensOfView(preview);
    if (more > left) return { ...preview, row_omitted: true };
    left -= more;
    return whole;
  });
}

const tokensOfView = (view: HitView): number => tokensOfJson(viewJson(view));
