/** One state of the terminal: its lines with escape sequences, and how long it is shown. */
export interface Frame {
  readonly lines: readonly string[];
  readonly ms: number;
}

const [CHAR_WIDTH, LINE_HEIGHT, PADDING] = [8.4, 18, 14];
const [BACKGROUND, PLAIN, DIM] = ['#14161b', '#d6d9e0', '#8a909c'];
const COLOURS: Readonly<Record<number, string>> = {
  31: '#e8707a',
  32: '#9bc97f',
  33: '#e0b860',
  35: '#c58fdc',
  36: '#6cc3cf',
};

interface Style {
  readonly color: string | undefined;
  readonly bold: boolean;
  readonly dim: boolean;
  readonly underline: boolean;
  readonly reverse: boolean;
}
const RESET: Style = {
  ...{ color: undefined, bold: false, dim: false, underline: false, reverse: false },
};

/** An animation of the frames, as an SVG that begins again at its end. */
export function framesToSvg(frames: readonly Frame[], columns: number, rows: number): string {
  const width = Math.ceil(columns * CHAR_WIDTH + 2 * PADDING);
  const height = rows * LINE_HEIGHT + 2 * PADDING;
  const total = frames.reduce((sum, { ms }) => sum + ms, 0);
  const percent = (ms: number) => `${((100 * ms) / total).toFixed(3)}%`;
  let at = 0;
  const shown = frames.map(({ ms, lines }, i) => {
    const [from, to] = [at, at + ms];
    at = to;
    const hidden = i === 0 ? '' : `0%{visibility:hidden}${percent(from)}{visibility:visible}`;
    const end = i === frames.length - 1 ? '' : `${percent(to)}{visibility:hidden}`;
    const first = i === 0 ? '0%{visibility:visible}' : hidden;
    const keys = `@keyframes f${i}{${first}${end}}`;
    const rule = `#f${i}{visibility:hidden;animation:f${i} ${total}ms step-end infinite}`;
    return { css: keys + rule, group: `<g id="f${i}">${lines.map(lineSvg).join('')}</g>` };
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"`,
    ` viewBox="0 0 ${width} ${height}" role="img" aria-label="lhs tui: search as you type">`,
    `<style>text{font:14px ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;`,
    `white-space:pre;fill:${PLAIN}}`,
    // a viewer without animations shows the last frame
    `#f${frames.length - 1}{visibility:visible}`,
    ...shown.map(({ css }) => css),
    `</style><rect width="100%" height="100%" rx="8" fill="${BACKGROUND}"/>`,
    `<g transform="translate(${PADDING} ${PADDING})">`,
    ...shown.map(({ group }) => group),
    '</g></svg>\n',
  ].join('');
}

function lineSvg(line: string, row: number): string {
  const y = row * LINE_HEIGHT;
  let column = 0;
  let out = '';
  for (const { text, style } of runsOf(line)) {
    const at = column;
    const wide = text.length * CHAR_WIDTH;
    column += text.length;
    const color = style.color ?? (style.dim ? DIM : PLAIN);
    if (style.reverse) {
      out += `<rect x="${(at * CHAR_WIDTH).toFixed(1)}" y="${y}" width="${wide.toFixed(1)}"`;
      out += ` height="${LINE_HEIGHT}" fill="${color}"/>`;
    }
    const fill = style.reverse ? BACKGROUND : color;
    const weight = style.bold ? ' font-weight="700"' : '';
    const under = style.underline ? ' text-decoration="underline"' : '';
    const look = ` y="${y + 13}" style="fill:${fill}"${weight}${under}`;
    // viewers join blanks: only single ones are inside of a text
    for (const { 0: words, index } of text.matchAll(/\S+(?: \S+)*/g)) {
      const left = ((at + index) * CHAR_WIDTH).toFixed(1);
      const length = (words.length * CHAR_WIDTH).toFixed(1);
      out += `<text x="${left}" textLength="${length}"${look}>${escaped(words)}</text>`;
    }
  }
  return out;
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const ESC = '\u001b';
const STYLES = new RegExp(`(${ESC}\\[[\\d;]*m)`);

/** The runs of a line that tmux has captured with `-e`, each in one style. */
function runsOf(line: string): { readonly text: string; readonly style: Style }[] {
  let style = RESET;
  return line.split(STYLES).flatMap((part) => {
    if (!part.startsWith(ESC)) return part === '' ? [] : [{ text: part, style }];
    for (const code of part.slice(2, -1).split(';')) style = changed(style, Number(code));
    return [];
  });
}

function changed(style: Style, code: number): Style {
  switch (code) {
    case 0:
      return RESET;
    case 1:
      return { ...style, bold: true };
    case 2:
      return { ...style, dim: true };
    case 4:
      return { ...style, underline: true };
    case 7:
      return { ...style, reverse: true };
    case 22:
      return { ...style, bold: false, dim: false };
    case 24:
      return { ...style, underline: false };
    case 27:
      return { ...style, reverse: false };
    case 39:
      return { ...style, color: undefined };
    default:
      return code in COLOURS ? { ...style, color: COLOURS[code] } : style;
  }
}
