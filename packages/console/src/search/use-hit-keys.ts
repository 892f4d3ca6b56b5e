import { useEffect } from 'preact/hooks';

/** Keys of the hits while no field has the focus: `j` and `k` move, `o` opens, `x` explains. */
export function useHitKeys(): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isInField = (event.target as Element | null)?.closest?.('input, select, textarea');
      if (isInField || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === 'j') moveFocus(1);
      else if (event.key === 'k') moveFocus(-1);
      else if (event.key === 'o') currentLink()?.click();
      else if (event.key === 'x') document.querySelector<HTMLElement>('.explain summary')?.click();
      else return;
      event.preventDefault();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
}

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
