import { useKeys } from '../parts/use-keys.ts';

/** Keys of the hits while no field has the focus: `j` and `k` move, `o` opens, `x` explains. */
export function useHitKeys(): void {
  useKeys((key) => {
    const act = ACTS[key];
    act?.();
    return act !== undefined;
  });
}

const ACTS: Readonly<Partial<Record<string, () => void>>> = {
  j: () => moveFocus(1),
  k: () => moveFocus(-1),
  o: () => currentLink()?.click(),
  x: () => document.querySelector<HTMLElement>('.explain summary')?.click(),
};

const links = (): readonly HTMLElement[] => [
  ...document.querySelectorAll<HTMLElement>('a.hit-link'),
];

/** The hit that has the focus, or the row that is open. */
const currentLink = (): HTMLElement | undefined =>
  links().find((link) => link === document.activeElement) ??
  links().find((link) => link.getAttribute('aria-current') === 'true');

/** Moves the focus between hits: also from an open row to those beside it. */
export function moveFocus(by: 1 | -1): void {
  const all = links();
  const current = currentLink();
  const at = current === undefined ? (by > 0 ? 0 : -1) : all.indexOf(current) + by;
  all[at]?.focus();
  if (document.querySelector('.row-panel') !== null) all[at]?.click();
}
